// The ways to connect to a server: a port with a password, or a Unix socket without one.
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

export interface ServerAccess {
  /** URL of the superuser's database. */
  readonly url: string;
  /** The settings of the server that this way of access requires. */
  readonly settings: Readonly<Record<string, string>>;
}

export const superuser = 'postgres';
/** A file in the data folder. Postgres ignores foreign files there. */
export const passwordFile = 'password';

/** @param wantedPort used if nothing listens on it; otherwise any free port */
export async function loopbackAccess(dataFolder: string, wantedPort: number | undefined): Promise<ServerAccess> {
  const wanted = wantedPort === undefined ? undefined : await freePort(wantedPort);
  const port = String(wanted ?? (await freePort(0)));
  const password = await readFile(join(dataFolder, passwordFile), 'utf8');
  return {
    url: `postgresql://${superuser}:${password}@127.0.0.1:${port}/${superuser}`,
    settings: { listen_addresses: '127.0.0.1', port, unix_socket_directories: '' },
  };
}

/** The socket is in the data folder, which other users cannot enter. */
export function socketAccess(dataFolder: string): ServerAccess {
  return {
    url: `postgresql:///${superuser}?${String(new URLSearchParams({ host: dataFolder, user: superuser }))}`,
    settings: { listen_addresses: '', unix_socket_directories: dataFolder },
  };
}

/** @param port 0 for any port @returns the port, or undefined if something listens on it */
async function freePort(port: number): Promise<number | undefined> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  server.once('error', () => resolve(undefined));
  server.listen(port, '127.0.0.1', () => {
    const address = server.address();
    server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined));
  });
  return await promise;
}

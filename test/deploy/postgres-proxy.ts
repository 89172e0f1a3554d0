// A stand-in for RDS and RDS Proxy: requires TLS and an IAM token or the master's password, before a real Postgres.
import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';

export interface PostgresProxyOptions {
  /** The folder with the Unix socket of a Postgres that trusts every connection there. */
  readonly socketFolder: string;
  /** Certificate and key as PEM. */
  readonly certificate: { readonly cert: string; readonly key: string };
  /** Called for each connection with an IAM token. @param application the client's name for itself */
  readonly onToken?: (user: string, application: string) => void;
}

export interface PostgresProxy {
  readonly port: number;
  /** The users who have connected so far. */
  readonly users: ReadonlySet<string>;
  close(): void;
}

/** Content of the secret that the migration reads. */
export const masterCredentials = { username: 'postgres', password: 'of the emulated master' } as const;
/** The name in the certificate, in DATABASE_HOST and in tokens. */
export const databaseHost = 'localhost';

// https://www.postgresql.org/docs/current/protocol-message-formats.html
const sslRequestCode = 80_877_103;
const cleartextPasswordWanted = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3]);
const refusal = errorResponse('SFATAL\0C28000\0Mthe credentials are not accepted\0\0');

export async function startPostgresProxy({
  socketFolder,
  certificate,
  onToken = () => {},
}: PostgresProxyOptions): Promise<PostgresProxy> {
  const users = new Set<string>();
  const sockets = new Set<Duplex>();
  const track = (socket: Duplex) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  };
  const serve = async (plain: Socket): Promise<void> => {
    track(plain);
    if ((await read(plain, 8)).readInt32BE(4) !== sslRequestCode) return void plain.destroy();
    plain.write('S');
    const client = new TLSSocket(plain, { isServer: true, ...certificate });
    track(client);
    const startUp = await readMessage(client);
    const given = (name: string) => new RegExp(`\\0${name}\\0([^\\0]*)\\0`).exec(startUp.toString('latin1'))?.[1] ?? '';
    const user = given('user');
    client.write(cleartextPasswordWanted);
    await read(client, 1);
    const password = (await readMessage(client)).subarray(4, -1).toString();
    if (!isAccepted(user, password)) return void client.end(refusal);
    users.add(user);
    if (user !== masterCredentials.username) onToken(user, given('application_name'));
    const server = createConnection(join(socketFolder, '.s.PGSQL.5432'));
    track(server);
    server.write(startUp);
    client.pipe(server).pipe(client);
  };
  const listener = createServer((socket) => void serve(socket).catch(() => socket.destroy())).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    users,
    close() {
      listener.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/**
 * Whether credentials are accepted: the password for the master, otherwise a token for this user at this address, as
 * RDS Proxy requires. The signature of the token is not checked.
 */
function isAccepted(user: string, password: string): boolean {
  if (user === masterCredentials.username) return password === masterCredentials.password;
  const token = URL.parse(`https://${password}`);
  const asked = token?.searchParams;
  return (
    token?.host === `${databaseHost}:5432` &&
    asked?.get('Action') === 'connect' &&
    asked.get('DBUser') === user &&
    asked.has('X-Amz-Signature')
  );
}

function errorResponse(fields: string): Buffer {
  const head = Buffer.from([0x45, 0, 0, 0, 0]);
  head.writeInt32BE(4 + fields.length, 1);
  return Buffer.concat([head, Buffer.from(fields)]);
}

/** Reads a message that begins with its length. @returns the message with its length */
async function readMessage(stream: Duplex): Promise<Buffer> {
  const length = await read(stream, 4);
  return Buffer.concat([length, await read(stream, length.readInt32BE(0) - 4)]);
}

async function read(stream: Duplex, bytes: number): Promise<Buffer> {
  for (;;) {
    const chunk = stream.read(bytes) as Buffer | null;
    if (chunk?.length === bytes) return chunk;
    if (chunk !== null || stream.readableEnded || stream.destroyed)
      throw new Error('the connection ended within a message');
    await once(stream, 'readable');
  }
}

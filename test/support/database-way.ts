// One agent's connections to Postgres through a relay; when it is cut, they stay open but transfer nothing.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

export interface CuttableWay extends AsyncDisposable {
  readonly url: string;
  cut(): void;
  mend(): void;
}

/** Opens the relay. @param postgresURL has the folder of a socket, or a host and a port */
export async function openWayTo(postgresURL: string): Promise<CuttableWay> {
  const target = new URL(postgresURL);
  const socketFolder = target.searchParams.get('host');
  const endpoint = socketFolder
    ? { path: `${socketFolder}/.s.PGSQL.5432` }
    : { host: target.hostname, port: Number(target.port) };
  const pairs = new Set<readonly [Socket, Socket]>();
  let isCut = false;
  const server = createServer((socket) => {
    const onward = connect(endpoint);
    const pair = [socket, onward] as const;
    pairs.add(pair);
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      one.on('error', () => {}).on('data', (bytes) => void other.write(bytes));
      one.once('close', () => {
        pairs.delete(pair);
        other.destroy();
      });
      if (isCut) one.pause();
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  target.searchParams.delete('host');
  const user = target.username || target.searchParams.get('user') || '';
  const url = new URL(`postgresql://127.0.0.1:${(server.address() as AddressInfo).port}${target.pathname}`);
  url.username = user;
  url.password = target.password;
  const each = (work: (socket: Socket) => void) => {
    for (const pair of pairs) for (const socket of pair) work(socket);
  };
  return {
    url: url.href,
    cut() {
      isCut = true;
      each((socket) => socket.pause());
    },
    mend() {
      isCut = false;
      // Bytes in transit are lost.
      each((socket) => socket.destroy());
    },
    async [Symbol.asyncDispose]() {
      each((socket) => socket.destroy());
      server.close();
      await once(server, 'close');
    },
  };
}

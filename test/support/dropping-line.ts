// A connection between a client and servers that drops every few seconds: an HTTP proxy, also for tunnels.
import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

export interface DroppingLine extends AsyncDisposable {
  readonly proxyURL: string;
  /** Bytes that clients have sent through it so far. */
  readonly bytesSent: number;
  /** The number of drops while a client used it. */
  readonly drops: number;
}

/** @param everyMs average time between drops; each time is between 50 % and 150 % of it */
export async function startDroppingLine(everyMs: number): Promise<DroppingLine> {
  const open = new Set<Socket>();
  let [bytesSent, drops] = [0, 0];
  const server = createServer();
  server.on('connect', (request, client: Socket) => {
    const { hostname, port } = new URL(`http://${request.url}`);
    const target = connect(Number(port), hostname, () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
    for (const socket of [client, target]) {
      open.add(socket);
      socket
        .on('error', () => {})
        .on('close', () => {
          open.delete(socket);
          client.destroy();
          target.destroy();
        });
    }
    client.on('data', (chunk: Buffer) => (bytesSent += chunk.length));
    client.pipe(target).pipe(client);
  });
  // Some clients make no tunnel for http: addresses.
  server.on('request', (request, response) => {
    const { method, headers, socket } = request;
    open.add(socket);
    const forwarded = send(request.url!, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.on('error', () => socket.destroy()).pipe(response);
    });
    forwarded.on('error', () => socket.destroy());
    socket
      .on('error', () => {})
      .on('close', () => {
        open.delete(socket);
        forwarded.destroy();
      });
    request
      .on('data', (chunk: Buffer) => (bytesSent += chunk.length))
      .on('error', () => {})
      .pipe(forwarded);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const drop = () => {
    if (open.size > 0) drops += 1;
    // A reset, as when a connection is lost: data in transit does not arrive.
    for (const socket of open) socket.resetAndDestroy();
    timer = setTimeout(drop, everyMs * (0.5 + Math.random()));
  };
  let timer = setTimeout(drop, everyMs);
  return {
    proxyURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get bytesSent() {
      return bytesSent;
    },
    get drops() {
      return drops;
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(timer);
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

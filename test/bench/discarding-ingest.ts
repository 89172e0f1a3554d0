// The cheapest destination for benches, as a process: it accepts every publication and discards the media.
// It also listens on plain TCP, and on both over TLS.
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { commandMessage, readCommand } from '../../lambda/publisher/rtmp/command.ts';
import { RtmpConnection } from '../../lambda/publisher/rtmp/rtmp-connection.ts';
import type { Certificate } from '../support/certificates.ts';

function acceptPublisher(socket: Socket): void {
  const connection = new RtmpConnection(socket, 'server', {
    onOpen: () => {},
    onMessage: (message) => {
      const command = readCommand(message);
      if (!command) return;
      const { name, transactionID } = command;
      const connected = { code: 'NetConnection.Connect.Success' };
      const started = { level: 'status', code: 'NetStream.Publish.Start' };
      if (name === 'connect') connection.send([commandMessage(0, '_result', transactionID, {}, connected)]);
      if (name === 'createStream') connection.send([commandMessage(0, '_result', transactionID, null, 1)]);
      if (name !== 'publish') return;
      connection.send([commandMessage(1, 'onStatus', 0, null, started)]);
      socket
        .removeAllListeners('data')
        .once('data', () => process.send?.({ firstMediaAtMs: Date.now() }))
        .resume();
    },
  });
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function discard(socket: Socket): void {
  socket.on('error', () => {}).resume();
}

export interface IngestPorts {
  readonly rtmp: number;
  readonly tcp: number;
  readonly rtmps: number;
  readonly tls: number;
}

const [certificate] = (await once(process, 'message')) as [Certificate];
process.send!({
  rtmp: await listen(createServer({ noDelay: true }, acceptPublisher)),
  tcp: await listen(createServer(discard)),
  rtmps: await listen(createTlsServer({ ...certificate, noDelay: true }, acceptPublisher)),
  tls: await listen(createTlsServer(certificate, discard)),
} satisfies IngestPorts);
process.on('disconnect', () => process.exit());

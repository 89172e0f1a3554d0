// The cheapest destination for benches, as a process of its own: accepts every publish, then drops what comes. Also plain TCP.
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { commandMessage, readCommand } from '../../lambda/publisher/rtmp/command.ts';
import { RtmpConnection } from '../../lambda/publisher/rtmp/rtmp-connection.ts';

function acceptPublisher(socket: Socket): void {
  const connection = new RtmpConnection(socket, 'server', {
    onOpen: () => {},
    onMessage: (message) => {
      const command = readCommand(message);
      if (command?.name === 'connect') connection.send([commandMessage(0, '_result', command.transactionID, {}, { code: 'NetConnection.Connect.Success' })]);
      if (command?.name === 'createStream') connection.send([commandMessage(0, '_result', command.transactionID, null, 1)]);
      if (command?.name !== 'publish') return;
      connection.send([commandMessage(1, 'onStatus', 0, null, { level: 'status', code: 'NetStream.Publish.Start' })]);
      socket.removeAllListeners('data').on('data', () => {});
    },
  });
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const rtmpPort = await listen(createServer({ noDelay: true }, acceptPublisher));
const tcpPort = await listen(createServer((socket) => void socket.on('error', () => {}).resume()));
process.send!({ rtmpPort, tcpPort });
process.on('disconnect', () => process.exit());

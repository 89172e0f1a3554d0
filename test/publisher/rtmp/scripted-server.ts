// An RTMP server with scripted answers to commands, which simulates platforms.
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Socket } from 'node:net';
import type { Amf0Input } from '../../../lambda/publisher/rtmp/amf0.ts';
import { commandMessage, readCommand } from '../../../lambda/publisher/rtmp/command.ts';
import type { RtmpCommand } from '../../../lambda/publisher/rtmp/command.ts';
import type { RtmpMessage } from '../../../lambda/publisher/rtmp/message.ts';
import { RtmpConnection } from '../../../lambda/publisher/rtmp/rtmp-connection.ts';

export interface ServedConnection {
  readonly connection: RtmpConnection;
  readonly socket: Socket;
  /** Every message except protocol control messages, which the connection answers itself. */
  readonly received: RtmpMessage[];
  readonly reply: (name: string, transactionID: number, ...values: Amf0Input[]) => void;
}

/** The server's reactions to commands by name, in place of the default ones. */
export type Script = Readonly<Record<string, (served: ServedConnection, command: RtmpCommand) => void>>;

export interface ScriptedServer extends AsyncDisposable {
  readonly port: number;
  readonly rtmpURL: string;
  /** The connections so far, in the order of arrival. */
  readonly connections: readonly ServedConnection[];
  /** The commands of all connections. */
  commands(): RtmpCommand[];
}

/** The script of a server that accepts every publisher. */
const welcoming: Script = {
  connect: ({ reply }, { transactionID }) =>
    reply('_result', transactionID, {}, { level: 'status', code: 'NetConnection.Connect.Success' }),
  createStream: ({ reply }, { transactionID }) => reply('_result', transactionID, null, 1),
  publish: ({ reply }) => reply('onStatus', 0, null, { level: 'status', code: 'NetStream.Publish.Start' }),
};

/** @param port the port to listen on; 0: any free port */
export async function startScriptedServer(script: Script = {}, port = 0): Promise<ScriptedServer> {
  const connections: ServedConnection[] = [];
  const steps: Script = { ...welcoming, ...script };
  const server = createServer((socket) => {
    const received: RtmpMessage[] = [];
    const connection = new RtmpConnection(socket, 'server', {
      onOpen: () => {},
      onMessage: (message) => {
        received.push(message);
        const command = readCommand(message);
        if (command) steps[command.name]?.(served, command);
      },
    });
    const served: ServedConnection = {
      connection,
      socket,
      received,
      reply: (name, transactionID, ...values) => connection.send([commandMessage(0, name, transactionID, ...values)]),
    };
    connections.push(served);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const listensAt = typeof address === 'object' && address ? address.port : 0;
  return {
    port: listensAt,
    rtmpURL: `rtmp://127.0.0.1:${listensAt}/live`,
    connections,
    commands: () =>
      connections.flatMap(({ received }) =>
        received.map((message) => readCommand(message)).filter((command) => command !== null),
      ),
    [Symbol.asyncDispose]: async () => {
      for (const { socket } of connections) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

// Destinations that send data back: each accepts a publisher, and then sends it one of several kinds of bytes.
// Some flood it, which ends the connection; the others send permitted data for ever.
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { encodeAmf0 } from '../../lambda/publisher/rtmp/amf0.ts';
import { ChunkWriter } from '../../lambda/publisher/rtmp/chunk-writer.ts';
import { commandMessage, readCommand } from '../../lambda/publisher/rtmp/command.ts';
import { controlMessage, messageType } from '../../lambda/publisher/rtmp/message.ts';
import type { RtmpMessage } from '../../lambda/publisher/rtmp/message.ts';
import { RtmpConnection } from '../../lambda/publisher/rtmp/rtmp-connection.ts';

/** Interval of the writes of a flood. */
const everyMs = 10;

/** Data that is sent repeatedly, by the name of the destination. */
const floods: Readonly<Record<string, () => Buffer>> = {
  'empty-messages': () => Buffer.concat([fullHeader(7, 0, messageType.audio), Buffer.alloc(16_384, 0xc7)]),
  pings: () => repeat(messageOf({ type: messageType.userControl, payload: Buffer.from('000600000001', 'hex') }), 500),
  commands: () => messageOf({ type: messageType.commandAmf0, payload: encodeAmf0(manyValues()) }),
  'long-messages': () => messageOf({ type: messageType.video, payload: Buffer.alloc(60_000) }),
  'too-long-messages': () => Buffer.concat([fullHeader(6, 8_000_000, messageType.video), Buffer.alloc(16_384)]),
  'chunk-streams': () =>
    Buffer.concat(Array.from({ length: 64 }, (_, id) => fullHeader(id + 2 < 64 ? id + 2 : 3, 10, 9))),
  acknowledgements: () => repeat(new ChunkWriter().write([controlMessage(messageType.acknowledgement, 1)]), 500),
  'random-bytes': () => Buffer.from(Array.from({ length: 16_384 }, () => Math.floor(Math.random() * 256))),
};
/** Data that is sent for ever, slightly below the limit: such a destination keeps its connection. */
const permitted: Readonly<Record<string, () => Buffer>> = {
  polite: () => messageOf({ type: messageType.video, payload: Buffer.alloc(500) }),
  'pings-and-ignored': () =>
    Buffer.concat([
      repeat(messageOf({ type: messageType.userControl, payload: Buffer.from('000600000001', 'hex') }), 4),
      messageOf({ type: messageType.audio, payload: Buffer.alloc(2000) }),
    ]),
  'permitted-long-messages': () => messageOf({ type: messageType.video, payload: Buffer.alloc(60_000) }),
  'permitted-random-messages': () =>
    Buffer.concat(
      Array.from({ length: 8 }, (_, index) =>
        messageOf({ type: [8, 9, 15, 16, 18, 22, 99, 255][index]!, payload: randomBytes(1 + randomInt(1000)) }),
      ),
    ),
  'permitted-commands': () =>
    messageOf({ type: messageType.commandAmf0, payload: encodeAmf0(['onBWDone', 0, ...manyValues().slice(2, 2000)]) }),
};
export const permittedBytesPerSecond = 60_000;

export const floodKinds: readonly string[] = Object.keys(floods);
export const permittedKinds: readonly string[] = Object.keys(permitted);
export const hostileKinds: readonly string[] = [...floodKinds, 'polite'];

function manyValues() {
  return ['onStatus', 0, ...Array.from({ length: 9000 }, () => null)];
}

function messageOf({ type, payload }: Pick<RtmpMessage, 'type' | 'payload'>): Buffer {
  return new ChunkWriter().write([{ chunkStreamID: 5, type, streamID: 0, timestampMs: 0, payload }]);
}

function fullHeader(chunkStreamID: number, messageBytes: number, type: number): Buffer {
  const header = Buffer.alloc(12);
  header.writeUInt8(chunkStreamID);
  header.writeUIntBE(messageBytes, 4, 3);
  header.writeUInt8(type, 7);
  return header;
}

function repeat(bytes: Buffer, times: number): Buffer {
  return Buffer.concat(Array.from({ length: times }, () => bytes));
}

let bytesSent = 0;

/** Sends to a publisher until it disconnects. @param bytesPerSecond limit of a flood */
function flood(socket: Socket, kind: string, bytesPerSecond: number): void {
  const bytes = (permitted[kind] ?? floods[kind]!)();
  const rate = kind in permitted ? permittedBytesPerSecond : bytesPerSecond;
  let owed = 0;
  const timer = setInterval(() => {
    if (socket.writableNeedDrain) return;
    for (owed += (rate * everyMs) / 1000; owed >= bytes.length; owed -= bytes.length) {
      bytesSent += bytes.length;
      socket.write(bytes);
    }
  }, everyMs);
  socket.once('close', () => clearInterval(timer));
}

/** Lets a publisher begin, and then sends it what its application is named after. */
export function acceptPublisher(socket: Socket, bytesPerSecond: number): void {
  let kind = 'polite';
  const connection = new RtmpConnection(socket, 'server', {
    onOpen: () => {},
    onMessage: (message) => {
      const command = readCommand(message);
      if (!command) return;
      const { name, transactionID, values } = command;
      const answer = (code: string) => ({ level: 'status', code });
      if (name === 'connect') {
        kind = String((values[0] as { app?: unknown }).app);
        connection.send([commandMessage(0, '_result', transactionID, {}, answer('NetConnection.Connect.Success'))]);
      }
      if (name === 'createStream') connection.send([commandMessage(0, '_result', transactionID, null, 1)]);
      if (name !== 'publish') return;
      connection.send([commandMessage(1, 'onStatus', 0, null, answer('NetStream.Publish.Start'))]);
      socket.removeAllListeners('data').on('data', () => {});
      flood(socket, kind, bytesPerSecond);
    },
  });
}

export interface HostileDestination {
  /** The URL. Its applications are the kinds. */
  readonly rtmpURL: string;
  /** Bytes sent over all connections. */
  readonly bytesSent: number;
}

/** Listens as long as the process lives. @param bytesPerSecond rate for each connection */
export async function startHostileDestination(bytesPerSecond: number): Promise<HostileDestination> {
  const server = createServer({ noDelay: true }, (socket) => acceptPublisher(socket, bytesPerSecond));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    rtmpURL: `rtmp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get bytesSent() {
      return bytesSent;
    },
  };
}

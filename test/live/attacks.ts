// Attacks on the listener for RTMP: each is repeated over ever new connections.
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { randomNumbers } from '../../lambda/domain/playout/lap-order.ts';
import { ChunkWriter } from '../../lambda/publisher/rtmp/chunk-writer.ts';
import { commandMessage } from '../../lambda/publisher/rtmp/command.ts';
import { controlMessage, messageType } from '../../lambda/publisher/rtmp/message.ts';
import { greeting, handshakeBytes, mediaMessage } from './greeting.ts';

const mib = 1024 * 1024;

/** Bytes that a hostile contributor sends once, then bytes that it repeats for as long as it can. */
export interface Attack {
  readonly first: Buffer;
  readonly repeated: Buffer;
  readonly everyMs: number;
  /** Whether it leaves in place of the first repetition. */
  readonly leaves?: true;
}

const random = randomNumbers(1);
const noise = Buffer.from(Array.from({ length: 65_536 }, () => Math.floor(random() * 256)));

/** The beginnings of messages of 10 MiB on 60 chunk streams, 512 KiB of each. */
function unfinished(): Buffer {
  const chunkBytes = 512 * 1024;
  const begin = (id: number) =>
    Buffer.concat([Buffer.of(id), Buffer.from('000000a000000901000000', 'hex'), Buffer.alloc(chunkBytes, id)]);
  const ids = Array.from({ length: 57 }, (_, index) => index + 7);
  return Buffer.concat([
    new ChunkWriter().write([controlMessage(messageType.setChunkSize, chunkBytes)]),
    ...ids.map(begin),
  ]);
}

/** @param hostileKey a key that is accepted */
export const attacksWith = (hostileKey: string): readonly Attack[] => [
  { first: Buffer.alloc(0), repeated: handshakeBytes.subarray(0, 1), everyMs: 200 },
  { first: Buffer.of(3), repeated: noise, everyMs: 1 },
  {
    first: handshakeBytes,
    repeated: new ChunkWriter().write([commandMessage(0, 'connect', 1, { app: 'live', flashVer: 'x'.repeat(9000) })]),
    everyMs: 5,
  },
  { first: greeting('wrong'), repeated: noise, everyMs: 50 },
  { first: greeting(hostileKey), repeated: unfinished(), everyMs: 20 },
  { first: greeting(hostileKey), repeated: noise, everyMs: 5 },
  {
    first: greeting(hostileKey),
    repeated: Buffer.concat([Buffer.from('070000000000000801000000', 'hex'), Buffer.alloc(4000, 0xc7)]),
    everyMs: 20,
  },
];

/** Attacks that need little of the attacker. @param hostileKey a key that is accepted */
export const quietAttacksWith = (hostileKey: string): readonly Attack[] => [
  { first: Buffer.alloc(0), repeated: Buffer.alloc(0), everyMs: 1000 },
  { first: handshakeBytes, repeated: Buffer.alloc(0), everyMs: 1000 },
  { first: handshakeBytes.subarray(0, 1600), repeated: handshakeBytes.subarray(0, 1), everyMs: 100 },
  { first: Buffer.alloc(0), repeated: Buffer.alloc(0), everyMs: 5, leaves: true },
  { first: greeting(''), repeated: Buffer.alloc(0), everyMs: 1000 },
  { first: greeting('wrong'), repeated: Buffer.alloc(0), everyMs: 1000 },
  { first: greeting(hostileKey), repeated: falsePicture(), everyMs: 33 },
];

/** A message that begins as a keyframe of H.264, and has noise for it. */
function falsePicture(): Buffer {
  const body = Buffer.concat([Buffer.of(0x17, 1, 0, 0, 0), noise.subarray(0, 3000)]);
  return new ChunkWriter().write([mediaMessage(messageType.video, 0, body)]);
}

/** Connects again and again, and attacks until the returned function is called. */
export function attack(port: number, { first, repeated, everyMs, leaves }: Attack, localAddress: string): () => void {
  let isOver = false;
  let socket: Socket;
  const begin = (): void => {
    if (isOver) return;
    socket = connect({ port, host: '127.0.0.1', localAddress });
    socket.on('error', () => {});
    socket.resume();
    socket.write(first);
    const timer = setInterval(() => {
      if (leaves) socket.destroy();
      else if (socket.writableLength < mib) socket.write(repeated);
    }, everyMs);
    socket.once('close', () => {
      clearInterval(timer);
      setTimeout(begin, 50);
    });
  };
  begin();
  return () => {
    isOver = true;
    socket.destroy();
  };
}

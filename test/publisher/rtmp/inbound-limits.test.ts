// A destination may answer and acknowledge; if it sends more, the client disconnects after a bounded amount of work.
import type { Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { encodeAmf0 } from '../../../lambda/publisher/rtmp/amf0.ts';
import { ChunkReader } from '../../../lambda/publisher/rtmp/chunk-reader.ts';
import { ChunkWriter } from '../../../lambda/publisher/rtmp/chunk-writer.ts';
import { fromDestination, InboundAllowance } from '../../../lambda/publisher/rtmp/inbound-limits.ts';
import { controlMessage, messageType } from '../../../lambda/publisher/rtmp/message.ts';
import { RtmpProtocolError } from '../../../lambda/publisher/rtmp/protocol-error.ts';
import { connectPublisher } from '../../../lambda/publisher/rtmp/rtmp-client.ts';
import { startScriptedServer } from './scripted-server.ts';

const rates = {
  bytesPerSecond: 1000,
  messagesPerSecond: 10,
  readsPerSecond: 20,
  burstSeconds: 2,
  sentBytesPerMessage: 4096,
};
const acknowledgement = new ChunkWriter().write([controlMessage(messageType.acknowledgement, 1)]);
/** The header of an empty message, and then one such message in each byte. */
const emptyMessages = Buffer.concat([Buffer.from('070000000000000801000000', 'hex'), Buffer.alloc(65_000, 0xc7)]);
const never = new AbortController().signal;

async function publishTo() {
  const server = await startScriptedServer();
  onTestFinished(() => server[Symbol.asyncDispose]());
  const target = { url: server.rtmpURL, streamKey: 'key' };
  const publisher = await connectPublisher(target, { allowPrivateAddresses: true, connectTimeoutMs: 5000 }, never);
  return { publisher, socket: server.connections[0]!.socket };
}

/** @returns the number of sent bytes */
async function sendUntilClosed(socket: Socket, flood: Buffer): Promise<number> {
  let sent = 0;
  while (!socket.destroyed && sent < 64 * 1024 * 1024) {
    sent += flood.length;
    if (!socket.write(flood)) await drainedOrClosed(socket);
    else await new Promise(setImmediate);
  }
  return sent;
}

function drainedOrClosed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('drain', resolve).once('close', () => resolve());
  });
}

describe('a publisher leaves a destination', () => {
  it.each([
    ['that sends messages without an end', emptyMessages],
    ['that sends bytes without an end, in messages that it may send', longMessages()],
  ])('%s', async (_, flood) => {
    const { publisher, socket } = await publishTo();
    const sent = sendUntilClosed(socket, flood);
    expect(await publisher.ended).toMatchObject({ code: 'protocol_violated' });
    // The buffers of both systems are sent as well.
    expect(await sent).toBeLessThan(32 * 1024 * 1024);
  });

  it.each([
    ['that announces a message longer than any that it has to send', Buffer.from('040000000100011401000000', 'hex')],
    ['that begins messages and never ends them', unfinishedMessages()],
  ])('%s', async (_, bytes) => {
    const { publisher, socket } = await publishTo();
    socket.write(bytes);
    expect(await publisher.ended).toMatchObject({ code: 'protocol_violated' });
  });
});

it('one read costs no more than what the destination may still send, however many messages it brings', () => {
  expect(() => new ChunkReader(fromDestination).read(emptyMessages, 200)).toThrow(RtmpProtocolError);
  const messages = new ChunkReader(fromDestination).read(emptyMessages.subarray(0, 100), 200);
  expect(messages).toHaveLength(89);
});

describe('a destination may', () => {
  it('acknowledge a 2160p60 stream for as long as it likes, and again after a pause of the network', () => {
    const allowance = new InboundAllowance(fromDestination.rates!, 0);
    const take = (count: number, nowMs: number) => {
      for (let message = 0; message < count; message++) {
        expect(allowance.take(acknowledgement.length, nowMs, 0)).toBeGreaterThan(0);
        allowance.brought(1);
      }
    };
    for (let second = 0; second < 600; second++) take(40, second * 1000);
    take(400, 610_000);
  });

  it('acknowledge each 4 KiB that we send it, however fast that goes', () => {
    const allowance = new InboundAllowance(fromDestination.rates!, 0);
    for (let count = 1; count <= 100_000; count++) {
      expect(allowance.take(acknowledgement.length, 0, count * 4096)).toBeGreaterThan(0);
      allowance.brought(1);
    }
  });

  it.each([
    ['bytes', (nowMs: number, allowance: InboundAllowance) => allowance.take(101, nowMs, 0)],
    [
      'reads',
      (nowMs: number, allowance: InboundAllowance) => Array.from({ length: 3 }, () => allowance.take(1, nowMs, 0)),
    ],
  ])('send what it may in each second, and in a burst, but no more %s', (_, takeTenth) => {
    const allowance = new InboundAllowance(rates, 0);
    const takeUntilMs = (untilMs: number) => {
      for (let nowMs = 0; nowMs < untilMs; nowMs += 100) takeTenth(nowMs, allowance);
    };
    // A little more than the rate uses the burst up, after a while.
    expect(() => takeUntilMs(2000)).not.toThrow();
    expect(() => takeUntilMs(400_000)).toThrow(RtmpProtocolError);
  });

  it('send so many messages at once, and more only as time passes', () => {
    const allowance = new InboundAllowance(rates, 0);
    expect(allowance.take(1, 0, 0)).toBe(20);
    allowance.brought(20);
    expect(allowance.take(1, 0, 0)).toBe(0);
    expect(allowance.take(1, 500, 0)).toBe(5);
    expect(allowance.take(1, 60_000, 0)).toBe(20);
  });
});

/** Commands of 60 KiB, which the client parses completely. */
function longMessages(): Buffer {
  const payload = encodeAmf0(['onNothing', 0, 'x'.repeat(60_000)]);
  const writer = new ChunkWriter();
  return writer.write([{ chunkStreamID: 3, type: messageType.commandAmf0, streamID: 0, timestampMs: 0, payload }]);
}

/** On each of five chunk streams, the first chunk of a message of 60 KiB without its last byte. */
function unfinishedMessages(): Buffer {
  const chunkBytes = 59_999;
  const announced = new ChunkWriter().write([controlMessage(messageType.setChunkSize, chunkBytes)]);
  const begin = (id: number) =>
    Buffer.concat([Buffer.of(id), Buffer.from('00000000ea601401000000', 'hex'), Buffer.alloc(chunkBytes)]);
  return Buffer.concat([announced, ...[3, 4, 5, 6, 7].map(begin)]);
}

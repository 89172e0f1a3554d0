// Limits of contributors: time, bytes, messages and connections, before and after their key.
import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { listenerLimits } from '../../lambda/live/listener-limits.ts';
import { commandMessage } from '../../lambda/publisher/rtmp/command.ts';
import { ChunkWriter } from '../../lambda/publisher/rtmp/chunk-writer.ts';
import { controlMessage, messageType } from '../../lambda/publisher/rtmp/message.ts';
import { makeCertificate } from '../support/certificates.ts';
import { greeting, handshakeBytes, mediaMessage } from './greeting.ts';
import { admitted, goodKey, RawClient, testListener } from './test-listener.ts';
import type { AdmittedClient, TestListener } from './test-listener.ts';

const mib = 1024 * 1024;
const certificate = await makeCertificate('DNS:localhost');
const refusals =
  ({ listener }: TestListener) =>
  () =>
    listener.figures().refusedByReason;
const loggedReasons =
  ({ events }: TestListener) =>
  () =>
    events.map(({ reason }) => reason);
const sound = mediaMessage(messageType.audio, 20, Buffer.from([0xaf, 1, 9]));
/** The header of an empty message of sound, and then one such message in each byte. */
const emptyMessages = Buffer.concat([Buffer.from('070000000000000801000000', 'hex'), Buffer.alloc(200_000, 0xc7)]);

/** Writes until the other side ends the connection. @returns the bytes written */
async function floodWith({ socket, ended }: RawClient, piece: Buffer, mostBytes = 256 * mib): Promise<number> {
  let written = 0;
  while (!socket.destroyed && written < mostBytes) {
    written += piece.length;
    const drained = new Promise((resolve) => {
      socket.write(piece, resolve);
    });
    await Promise.race([drained, ended]);
  }
  return written;
}

/** Writes one byte after the other until the connection ends. */
async function trickle({ socket, ended }: RawClient, bytes: Buffer, everyMs: number): Promise<void> {
  let offset = 0;
  const timer = setInterval(() => socket.write(bytes.subarray(offset, ++offset)), everyMs);
  await ended;
  clearInterval(timer);
}

describe('before the key, a connection ends', () => {
  it.each([
    ['sends nothing', Buffer.alloc(0)],
    ['stops in its handshake', handshakeBytes.subarray(0, 2000)],
    ['stops after its handshake', handshakeBytes],
    ['stops before it publishes', greeting(goodKey).subarray(0, -20)],
  ])('in time if it %s', async (_, bytes) => {
    const tested = await testListener({ keyWithinSeconds: 0.4 });
    const client = await RawClient.open(tested.listener.port);
    client.socket.write(bytes);
    expect(await client.ended).toBeLessThan(1500);
    await expect.poll(refusals(tested)).toEqual({ too_slow: 1 });
    expect(tested.listener.figures().connections).toBe(0);
  });

  it.each([['over RTMP', null] as const, ['over RTMPS', certificate] as const])(
    'in time if it sends one byte after the other, %s',
    async (_, tls) => {
      const tested = await testListener({ keyWithinSeconds: 0.5 }, { tls });
      const client = await RawClient.open(tested.listener.port);
      // Bytes of a record of TLS that never ends, or of a handshake.
      await trickle(client, tls ? Buffer.from(`1603010200${'01'.repeat(600)}`, 'hex') : handshakeBytes, 20);
      expect(await client.ended).toBeLessThan(1500);
      await expect.poll(refusals(tested)).toEqual({ too_slow: 1 });
    },
  );

  it.skipIf(certificate === null)('in time if it stops after TLS began', async () => {
    const tested = await testListener({ keyWithinSeconds: 0.4 }, { tls: certificate });
    const socket = connectTls({ port: tested.listener.port, host: '127.0.0.1', rejectUnauthorized: false });
    socket.on('error', () => {});
    await once(socket, 'close');
    await expect.poll(refusals(tested)).toEqual({ too_slow: 1 });
  });

  it.each([
    ['RTMP', handshakeBytes, Buffer.alloc(65_536, 3)],
    ['messages of sound', handshakeBytes, emptyMessages],
    ['windows', handshakeBytes, new ChunkWriter().write(Array.from({ length: 400 }, () => controlMessage(5, 1)))],
    [
      'commands',
      handshakeBytes,
      new ChunkWriter().write(Array.from({ length: 40 }, () => commandMessage(0, 'createStream', 1, null))),
    ],
    ['a handshake', Buffer.alloc(0), Buffer.alloc(65_536, 3)],
  ])('if it floods with %s', async (_, first, flood) => {
    const tested = await testListener();
    const client = await RawClient.open(tested.listener.port);
    client.socket.write(first);
    expect(await floodWith(client, flood)).toBeLessThan(16 * mib);
    expect(await client.ended).toBeLessThan(3000);
    const { refusedByReason } = tested.listener.figures();
    expect(Object.keys(refusedByReason)).toEqual([expect.stringMatching(/^(?:protocol|too_much_before_key)$/)]);
  });

  it('if it sends more than 64 KiB at any rate', async () => {
    const tested = await testListener();
    const client = await RawClient.open(tested.listener.port);
    client.socket.write(handshakeBytes);
    const data = { ...sound, payload: Buffer.alloc(8000) };
    for (let sent = 0; sent < 9 && !client.socket.destroyed; sent++) {
      client.send(data);
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    await client.ended;
    await expect.poll(() => tested.listener.figures().refused).toBe(1);
  });

  it.each([
    ['is no RTMP', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['announces a message of 16 MiB', Buffer.concat([handshakeBytes, Buffer.from('03000000ffffff1400000000', 'hex')])],
    ['publishes before it connects', Buffer.concat([handshakeBytes, publishAlone()])],
  ])('at once if it %s', async (_, bytes) => {
    const tested = await testListener();
    const client = await RawClient.open(tested.listener.port);
    client.socket.write(bytes);
    await client.ended;
    await expect.poll(refusals(tested)).toEqual({ protocol: 1 });
    expect(tested.door.claims).toEqual([]);
  });

  it('if it speaks RTMP where RTMPS is expected', async () => {
    const tested = await testListener({}, { tls: certificate });
    const client = await RawClient.open(tested.listener.port);
    client.socket.write(handshakeBytes);
    await client.ended;
    await expect.poll(refusals(tested)).toEqual({ tls_failed: 1 });
  });
});

describe('after the key, a connection ends', () => {
  it.each([
    ['is random', Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7919 + 13) % 251))],
    ['is a message of more than 10 MiB', Buffer.from('07000000ffffff0901000000', 'hex')],
    [
      'is a command of 1 MiB',
      new ChunkWriter().write([{ ...sound, type: messageType.commandAmf0, payload: Buffer.alloc(mib) }]),
    ],
    ['is an aggregate that is cut short', new ChunkWriter().write([{ ...sound, type: messageType.aggregate }])],
  ])('if what follows %s', async (_, bytes) => {
    const tested = await testListener();
    const { client, contribution } = await admitted(tested);
    client.socket.write(bytes);
    await client.ended;
    await expect.poll(loggedReasons(tested)).toEqual(['protocol']);
    expect(contribution.ends).toBe(1);
  });

  it.each([
    ['bytes', new ChunkWriter().write([{ ...sound, payload: Buffer.alloc(mib) }])],
    ['messages', emptyMessages],
    [
      'pings',
      new ChunkWriter().write(Array.from({ length: 500 }, () => ({ ...controlMessage(4, 0), payload: ping() }))),
    ],
  ])('if it floods with %s', async (_, flood) => {
    const tested = await testListener();
    const { client } = await admitted(tested);
    await floodWith(client, flood);
    await expect.poll(loggedReasons(tested)).toEqual([expect.stringMatching(/^(?:protocol|answers_unread)$/)]);
  });

  it('and its address waits before the next one, if it broke the protocol', async () => {
    const tested = await testListener({ firstDelaySeconds: 0.5 });
    const { client } = await admitted(tested);
    client.socket.write(emptyMessages);
    await client.ended;
    const next = await RawClient.open(tested.listener.port);
    next.publish(goodKey);
    expect(await next.ended).toBeGreaterThan(300);
    await expect.poll(loggedReasons(tested)).toEqual(['protocol', 'delayed']);
    expect(tested.door.claims).toHaveLength(1);
  });

  it('if what follows is HTTP, which is the beginning of a long message', async () => {
    const tested = await testListener({ mostSilentSeconds: 0.3 });
    const { client } = await admitted(tested);
    client.socket.write('GET / HTTP/1.1\r\n\r\n');
    await client.ended;
    await expect.poll(loggedReasons(tested)).toEqual(['silent']);
  });

  it('if no media comes for a while, whatever else comes', async () => {
    const tested = await testListener({ mostSilentSeconds: 0.5 });
    const { client } = await admitted(tested);
    client.send(sound);
    await trickle(client, Buffer.concat([Buffer.from('070000000fffff0901000000', 'hex'), Buffer.alloc(500)]), 50);
    await expect.poll(loggedReasons(tested)).toEqual(['silent']);
  });

  it('if its receiver does not get on, and is not read from before that', async () => {
    const tested = await testListener({ mostPausedSeconds: 0.7 });
    const { client, contribution } = await admitted(tested);
    contribution.bytesWaiting = listenerLimits.mostWaitingBytes + 1;
    client.send(sound);
    await expect.poll(() => contribution.tags).toHaveLength(1);
    client.send(sound);
    await client.ended;
    await expect.poll(loggedReasons(tested)).toEqual(['paused_too_long']);
    expect(contribution).toMatchObject({ ends: 1, tags: [{}] });
  });

  it('not if its receiver gets on in time', async () => {
    const tested = await testListener({ mostPausedSeconds: 5 });
    const { client, contribution } = await admitted(tested);
    contribution.bytesWaiting = listenerLimits.mostWaitingBytes + 1;
    client.send(sound);
    await expect.poll(() => contribution.tags).toHaveLength(1);
    client.send(sound);
    contribution.bytesWaiting = 0;
    await expect.poll(() => contribution.tags).toHaveLength(2);
  });

  it('if it has the most of the incomplete bytes, when all connections together have too many', async () => {
    const tested = await testListener({ mostIncompleteBytesInAll: 3 * mib });
    const good = await admitted(tested, '127.0.0.2');
    const greedy = await admitted(tested, '127.0.0.3');
    const begin = ({ client: { socket } }: AdmittedClient, messageBytes: number, bytes: number) =>
      socket.write(Buffer.concat([setChunkSize(), videoHeader(messageBytes), Buffer.alloc(bytes)]));
    begin(good, 2 * mib, 400_000);
    begin(greedy, 8 * mib, 3 * mib);
    await greedy.client.ended;
    await expect.poll(loggedReasons(tested)).toEqual(['too_much_incomplete']);
    good.client.socket.write(Buffer.alloc(2 * mib - 400_000));
    await expect.poll(() => good.contribution.tags[0]?.body.length).toBe(2 * mib);
  });
});

describe('connections are counted', () => {
  it('in all, and by address, and those with keys keep their places', async () => {
    const tested = await testListener({ mostConnections: 5, mostConnectionsPerAddress: 2 });
    const refused = async (address: string) => (await RawClient.open(tested.listener.port, address)).ended;
    const first = await admitted(tested, '127.0.0.2');
    await admitted(tested, '127.0.0.2');
    await refused('127.0.0.2');
    await expect.poll(refusals(tested)).toEqual({ too_many_connections_of_address: 1 });
    await admitted(tested, '127.0.0.3');
    await admitted(tested, '127.0.0.3');
    await admitted(tested, '127.0.0.4');
    await refused('127.0.0.5');
    await expect.poll(refusals(tested)).toEqual({ too_many_connections_of_address: 1, too_many_connections: 1 });
    first.client.socket.destroy();
    await expect.poll(() => tested.listener.figures().connections).toBe(4);
    await admitted(tested, '127.0.0.2');
  });

  it('and only some of the refusals are logged', async () => {
    const tested = await testListener({ mostConnections: 0, refusalsLoggedPerMinute: 3 });
    for (let count = 0; count < 6; count++) await (await RawClient.open(tested.listener.port)).ended;
    expect(tested.listener.figures().refused).toBe(6);
    expect(tested.events).toHaveLength(3);
  });
});

describe('connections without a key', () => {
  const { mostConnections, mostConnectionsPerAddress } = listenerLimits;
  /** As many silent connections as there is room for, from as few addresses as possible. */
  const fill = async ({ listener }: TestListener, firstAddress: number) => {
    const { connections, refused } = listener.figures();
    const addresses = Array.from(
      { length: mostConnections },
      (_, index) => `127.0.1.${firstAddress + Math.floor(index / mostConnectionsPerAddress)}`,
    );
    const silent = await Promise.all(addresses.map((address) => RawClient.open(listener.port, address)));
    const figures = { connections: mostConnections, refused: refused + connections };
    await expect.poll(() => listener.figures()).toMatchObject(figures);
    return silent;
  };

  it('keep out none with a key, which then stays', async () => {
    const tested = await testListener();
    await fill(tested, 1);
    const { client, contribution } = await admitted(tested, '127.0.0.2');
    await fill(tested, 101);
    client.send(sound);
    await expect.poll(() => contribution.tags).toHaveLength(1);
    expect(tested.listener.figures().contributing).toBe(1);
    expect(refusals(tested)()).toEqual({ made_room: mostConnections + 1 });
  });

  it('make room at the addresses that have most of them, so that a slow one can send its key', async () => {
    const tested = await testListener();
    const slow = await RawClient.open(tested.listener.port, '127.0.0.2');
    slow.socket.write(handshakeBytes);
    await fill(tested, 1);
    await fill(tested, 101);
    slow.socket.write(greeting(goodKey, slow.writer).subarray(handshakeBytes.length));
    await expect.poll(() => tested.door.contributions).toHaveLength(1);
  });

  it('keep out none with a key from their own address', async () => {
    const tested = await testListener();
    const [oldest, ...others] = await Promise.all(
      Array.from({ length: mostConnectionsPerAddress }, () => RawClient.open(tested.listener.port, '127.0.0.2')),
    );
    await admitted(tested, '127.0.0.2');
    await oldest!.ended;
    expect(others.map(({ socket }) => socket.destroyed)).not.toContain(true);
    await expect.poll(refusals(tested)).toEqual({ made_room: 1 });
  });

  it('end early if they do not begin the handshake', async () => {
    const tested = await testListener({ handshakeWithinSeconds: 0.3 });
    const [silent, begun] = [await RawClient.open(tested.listener.port), await RawClient.open(tested.listener.port)];
    begun.socket.write(handshakeBytes.subarray(0, 1537));
    expect(await silent.ended).toBeLessThan(1500);
    expect(begun.socket.destroyed).toBe(false);
    await expect.poll(refusals(tested)).toEqual({ too_slow: 1 });
  });
});

function ping(): Buffer {
  return Buffer.from('000600000001', 'hex');
}

function publishAlone(): Buffer {
  return new ChunkWriter().write([commandMessage(1, 'publish', 5, null, goodKey, 'live')]);
}

function setChunkSize(): Buffer {
  return new ChunkWriter().write([controlMessage(messageType.setChunkSize, 8 * mib)]);
}

function videoHeader(messageBytes: number): Buffer {
  return Buffer.from(`06000000${messageBytes.toString(16).padStart(6, '0')}0901000000`, 'hex');
}

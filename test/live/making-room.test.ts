// The places of the listener when strangers from many addresses take them all: whom it ends to make room.
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { listenerLimits } from '../../lambda/live/listener-limits.ts';
import { commandMessage } from '../../lambda/publisher/rtmp/command.ts';
import { handshakeBytes } from './greeting.ts';
import { admitted, goodKey, RawClient, testListener } from './test-listener.ts';
import type { TestListener } from './test-listener.ts';

const { mostConnections } = listenerLimits;

/** A listener whose clock the test moves. */
async function listenerWithClock() {
  let nowMs = 0;
  const tested = await testListener({}, { steadyClock: () => nowMs });
  return { ...tested, pass: (ms: number) => void (nowMs += ms) };
}

let addresses = 0;

/** Opens connections, each from an address of its own, and waits until the listener has seen them all. */
async function strangers({ listener }: TestListener, count: number, bytes = Buffer.alloc(0)): Promise<RawClient[]> {
  const { connections, refused } = listener.figures();
  const opened = Array.from({ length: count }, async () => {
    const number = addresses++;
    const stranger = await RawClient.open(listener.port, `127.1.${Math.floor(number / 250)}.${(number % 250) + 1}`);
    stranger.socket.write(bytes);
    return stranger;
  });
  const clients = await Promise.all(opened);
  await expect
    .poll(() => listener.figures().connections + listener.figures().refused)
    .toBe(connections + refused + count);
  return clients;
}

/** Sends a command, and waits for the answer. */
async function ask(client: RawClient, name: string, transactionID: number, ...values: object[]): Promise<void> {
  const before = client.answers.length;
  client.send(commandMessage(0, name, transactionID, ...(values as never[])));
  while (client.answers.length === before && !client.socket.destroyed) await once(client.socket, 'data');
}

it('is not that of an encoder whose handshake is slow, however many silent addresses come', async () => {
  const tested = await listenerWithClock();
  const encoder = await RawClient.open(tested.listener.port, '127.0.0.2');
  const isOpen = () => !encoder.socket.destroyed;
  encoder.socket.write(handshakeBytes);
  await ask(encoder, 'connect', 1, { app: 'live' });
  for (const [number, name] of ['releaseStream', 'FCPublish', 'createStream'].entries()) {
    await strangers(tested, mostConnections);
    tested.pass(900);
    expect(isOpen()).toBe(true);
    await ask(encoder, name, number + 2);
  }
  await strangers(tested, mostConnections);
  encoder.send(commandMessage(1, 'publish', 5, null, goodKey, 'live'));
  await expect.poll(() => tested.door.contributions).toHaveLength(1);
});

it('is not that of an encoder that has just arrived, while others are silent for longer', async () => {
  const tested = await listenerWithClock();
  const silent = await strangers(tested, mostConnections / 2);
  tested.pass(1500);
  const encoder = await RawClient.open(tested.listener.port, '127.0.0.2');
  await strangers(tested, mostConnections / 2 + 50);
  await expect.poll(() => silent.filter(({ socket }) => socket.destroyed)).toHaveLength(51);
  encoder.publish(goodKey);
  await expect.poll(() => tested.door.contributions).toHaveLength(1);
});

it('is not that of an address whose key was right before, even if strangers are ahead of it', async () => {
  const tested = await listenerWithClock();
  const { client } = await admitted(tested, '127.0.0.2');
  client.socket.destroy();
  await expect.poll(() => tested.listener.figures().connections).toBe(0);
  const encoder = await RawClient.open(tested.listener.port, '127.0.0.2');
  for (let round = 0; round < 3; round++) await strangers(tested, mostConnections, handshakeBytes);
  encoder.publish(goodKey);
  await expect.poll(() => tested.door.contributions).toHaveLength(2);
});

it('is the longest silent one of the strangers', async () => {
  const tested = await listenerWithClock();
  const first = await strangers(tested, 10);
  tested.pass(1500);
  await strangers(tested, mostConnections - 10);
  tested.pass(1500);
  await strangers(tested, 10);
  await Promise.all(first.map(({ ended }) => ended));
  expect(tested.listener.figures().refusedByReason).toEqual({ made_room: 10 });
});

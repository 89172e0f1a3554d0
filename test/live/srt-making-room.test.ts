// The places of the listener for SRT when strangers from many addresses take them all: whom it ends to make room.
import { describe, expect, it } from 'vitest';
import { goodKey } from './test-listener.ts';
import { RawCaller, testSrtListener } from './srt-caller.ts';
import type { TestSrtListener } from './srt-caller.ts';

const limits = { mostConnections: 12, mostConnectionsPerAddress: 4, leaveWithinSeconds: 60, mostAskedAtOnce: 60 };

/** A listener whose clock the test moves, and whose door answers once the test lets it. */
async function listenerWithClock() {
  let nowMs = 0;
  const tested = await testSrtListener(limits, { steadyClock: () => nowMs });
  return { ...tested, pass: (ms: number) => void (nowMs += ms) };
}

/** Makes the door decide nothing until the result is called. */
function closeDoor({ door }: TestSrtListener): () => void {
  const gate = Promise.withResolvers<void>();
  door.before = () => gate.promise;
  return () => gate.resolve();
}

let addresses = 0;

/** Callers with wrong keys, each from an address of its own, whose requests the listener has seen. */
async function strangers({ listener, door }: TestSrtListener, count: number, localAddress?: string) {
  const asked = door.claims.length;
  const callers = await Promise.all(
    Array.from({ length: count }, () => RawCaller.open(listener.port, localAddress ?? `127.2.0.${++addresses}`)),
  );
  for (const caller of callers) caller.handshake(caller.conclusion({ streamID: 'wrong' }, await caller.cookie()));
  await expect.poll(() => door.claims.length).toBe(asked + count);
  return callers;
}

/** An encoder that has sent its request, and can repeat it. */
async function encoderOf({ listener, door }: TestSrtListener, localAddress = '127.0.0.2') {
  const caller = await RawCaller.open(listener.port, localAddress);
  const request = caller.conclusion({ streamID: goodKey }, await caller.cookie());
  const asked = door.claims.length;
  caller.handshake(request);
  await expect.poll(() => door.claims.length).toBe(asked + 1);
  return { caller, repeat: () => caller.handshake(request) };
}

describe('the caller that makes room for an encoder', () => {
  it('is one that is refused already', async () => {
    const tested = await listenerWithClock();
    const callers = await strangers(tested, limits.mostConnections);
    await expect.poll(() => callers.filter(({ answers }) => answers.length === 2)).toHaveLength(callers.length);
    const encoder = await RawCaller.open(tested.listener.port, '127.0.0.2');
    expect(await encoder.call({ streamID: goodKey })).toMatchObject({ refusal: null });
    expect(tested.listener.figures()).toMatchObject({ connections: limits.mostConnections, contributing: 1 });
  });

  it('is the longest silent one while the door decides about all, and hears of it', async () => {
    const tested = await listenerWithClock();
    const open = closeDoor(tested);
    const encoder = await encoderOf(tested);
    const first = await strangers(tested, limits.mostConnections - 1);
    for (let round = 0; round < 3; round++) {
      tested.pass(1500);
      encoder.repeat();
      // Datagrams of one socket keep their order on loopback.
      await encoder.caller.cookie();
      await strangers(tested, limits.mostConnections - 1);
    }
    expect(first.map(({ answers }) => answers.at(-1)!.refusal)).toEqual(first.map(() => 1003));
    expect(tested.listener.figures().refusedByReason).toEqual({ made_room: 3 * (limits.mostConnections - 1) });
    open();
    await expect.poll(() => tested.door.contributions).toHaveLength(1);
    await expect.poll(() => encoder.caller.answers.at(-1)!.refusal).toBeNull();
  });

  it('is not one of an address whose key was right before', async () => {
    const tested = await listenerWithClock();
    const before = await RawCaller.open(tested.listener.port, '127.0.0.2');
    await before.call({ streamID: goodKey });
    tested.door.contributions[0]!.disconnect();
    await expect.poll(() => tested.listener.figures().connections).toBe(0);
    const open = closeDoor(tested);
    await encoderOf(tested);
    tested.pass(5000);
    await strangers(tested, 3 * limits.mostConnections);
    open();
    await expect.poll(() => tested.door.contributions).toHaveLength(2);
  });

  it('is one of its own address, if that has all of its places', async () => {
    const tested = await testSrtListener({ ...limits, firstDelaySeconds: 0 });
    const callers = await strangers(tested, limits.mostConnectionsPerAddress, '127.0.0.2');
    await expect.poll(() => callers.filter(({ answers }) => answers.length === 2)).toHaveLength(callers.length);
    await encoderOf(tested);
    await expect.poll(() => tested.door.contributions).toHaveLength(1);
    expect(tested.listener.figures().connections).toBe(limits.mostConnectionsPerAddress);
  });
});

it('the door is asked about a bounded number of keys, also of callers that have made room', async () => {
  const tested = await listenerWithClock();
  closeDoor(tested);
  await strangers(tested, limits.mostAskedAtOnce);
  const late = await RawCaller.open(tested.listener.port, '127.0.0.2');
  expect(await late.call({ streamID: goodKey })).toMatchObject({ refusal: 2403 });
  const ofOneAddress = await testSrtListener(limits);
  closeDoor(ofOneAddress);
  await strangers(ofOneAddress, limits.mostConnectionsPerAddress, '127.0.0.2');
  const fifth = await RawCaller.open(ofOneAddress.listener.port, '127.0.0.2');
  expect(await fifth.call({ streamID: 'wrong' })).toMatchObject({ refusal: 2403 });
  expect(ofOneAddress.door.claims).toHaveLength(limits.mostConnectionsPerAddress);
});

it('contributors make no room', async () => {
  const tested = await listenerWithClock();
  for (let place = 0; place < limits.mostConnections; place++) {
    const caller = await RawCaller.open(tested.listener.port, `127.3.0.${place + 1}`);
    expect(await caller.call({ streamID: goodKey })).toMatchObject({ refusal: null });
  }
  const late = await RawCaller.open(tested.listener.port, '127.0.0.2');
  expect(await late.call({ streamID: goodKey })).toMatchObject({ refusal: 1003 });
});

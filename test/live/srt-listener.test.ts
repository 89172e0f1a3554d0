// The listener for SRT: its handshake, keys and refusals, the order of packets, reports of losses, and ends.
import { describe, expect, it } from 'vitest';
import { AddressDelays } from '../../lambda/live/address-delays.ts';
import { listenerLimits } from '../../lambda/live/listener-limits.ts';
import { profileOf } from '../../lambda/publisher/ffmpeg/profile.ts';
import { connectSrt } from '../../lambda/publisher/srt/srt-publisher.ts';
import { induction } from '../../lambda/publisher/srt/handshake.ts';
import { controlType, readLosses } from '../../lambda/publisher/srt/packet.ts';
import { packetBytes } from '../../lambda/publisher/transport-stream/packets.ts';
import { format } from './contributor.ts';
import {
  goodKey,
  keyOfLargeStream,
  keyWithoutPart,
  keyOfRestingInput,
  keyWithoutPlace,
  RawClient,
  testListener,
  unwantedKey,
} from './test-listener.ts';
import {
  calling,
  firstSequence,
  loggedReasons,
  pictures,
  RawCaller,
  sequenceAt,
  testSrtListener,
  timesOf,
} from './srt-caller.ts';
import type { Wish } from './srt-caller.ts';

describe('a caller is admitted', () => {
  it.each([
    goodKey,
    `live/${goodKey}`,
    `#!::r=${goodKey},m=publish`,
    `#!::m=publish,r=live/${goodKey},u=someone,t=stream`,
    `#!::r=${goodKey}`,
  ])('with the stream id %s', async (streamID) => {
    const tested = await testSrtListener();
    const { caller, contribution } = await calling(tested, { streamID });
    const { encryption, ...claim } = contribution.claim;
    expect(claim).toEqual({ protocol: 'srt', key: goodKey, address: '127.0.0.1' });
    expect(encryption).toBeDefined();
    for (const [index, piece] of pictures(3).entries()) caller.data(sequenceAt(index), piece);
    caller.control(controlType.shutdown);
    await expect.poll(() => contribution.ends).toBe(1);
    expect(timesOf(contribution)).toEqual([0, 40, 80]);
    await expect
      .poll(() => tested.events)
      .toEqual([{ event: 'contributor_ended', reason: 'left', address: '127.0.0.1', protocol: 'srt' }]);
    expect(tested.listener.figures()).toMatchObject({ connections: 0, contributing: 0, admitted: 1, refused: 0 });
  });

  it('once, if it repeats its request while the door decides and later', async () => {
    const tested = await testSrtListener();
    const gate = Promise.withResolvers<void>();
    tested.door.before = () => gate.promise;
    const caller = await RawCaller.open(tested.listener.port);
    const request = caller.conclusion({ streamID: goodKey }, await caller.cookie());
    for (let times = 0; times < 3; times++) caller.handshake(request);
    await expect.poll(() => tested.door.claims).toHaveLength(1);
    gate.resolve();
    await expect.poll(() => caller.answers.length).toBeGreaterThan(1);
    const again = await caller.answered(request);
    expect(again).toMatchObject({ refusal: null, socketID: caller.answers[1]!.socketID });
    expect(tested.door.claims).toHaveLength(1);
  });

  it('by the client that publishes our own streams', async () => {
    const tested = await testSrtListener();
    const target = {
      url: `srt://127.0.0.1:${tested.listener.port}`,
      passphrase: null,
      latencyMs: 120,
      streamID: goodKey,
    };
    const signal = new AbortController().signal;
    const publisher = await connectSrt(target, { allowPrivateAddresses: true, connectTimeoutMs: 5000 }, signal);
    publisher.begin({ originMs: 0, sequenceHeaders: [], profile: profileOf(format) });
    const header = Buffer.from('17000000000142c01effe100086742c01eda0280f601000468ce3c80', 'hex');
    const keyframe = Buffer.from('17010000000000000465888888', 'hex');
    const sounds = [Buffer.of(0xaf, 0, 0x11, 0x90), ...[1, 2, 3].map((frame) => Buffer.of(0xaf, 1, frame))];
    publisher.send([
      ...[header, keyframe].map((payload) => ({ type: 'video', timestampMs: 0, payload }) as const),
      ...sounds.map((payload) => ({ type: 'audio', timestampMs: 0, payload }) as const),
    ]);
    await publisher.close();
    expect(publisher.bytesDelivered).toBeGreaterThan(0);
    await expect.poll(() => tested.door.contributions[0]?.ends).toBe(1);
    const { tags } = tested.door.contributions[0]!;
    const bodies = (wanted: string) => tags.filter(({ type }) => type === wanted).map(({ body }) => body);
    expect([bodies('video'), bodies('audio')]).toEqual([[header, keyframe], sounds]);
  });
});

describe('a caller is refused', () => {
  it.each([
    ['another mode', { streamID: `#!::r=${goodKey},m=request` }, 2405, 'bad_stream_id'],
    ['a file', { streamID: `#!::r=${goodKey},t=file` }, 2405, 'bad_stream_id'],
    ['a form that is not known', { streamID: `#!:{r=${goodKey}}` }, 2400, 'bad_stream_id'],
    ['no key in its pairs', { streamID: '#!::m=publish' }, 2400, 'bad_stream_id'],
    ['no stream id', { streamID: null }, 2403, 'unknown_key'],
    ['a key that is not wanted', { streamID: unwantedKey }, 2403, 'not_wanted'],
    ['a key of a stream that is too large', { streamID: keyOfLargeStream }, 2402, 'too_demanding'],
    ['a key of an input whose contributors came and went', { streamID: keyOfRestingInput }, 2402, 'resting'],
    ['a key whose user has no place left', { streamID: keyWithoutPlace }, 2402, 'share_used'],
    ['a key without a place in the part of its users', { streamID: keyWithoutPart }, 2402, 'unfunded_share_used'],
  ] satisfies [string, Wish, number, string][])('for %s', async (_, wish, refusal, reason) => {
    const tested = await testSrtListener();
    const caller = await RawCaller.open(tested.listener.port);
    expect(await caller.call(wish)).toMatchObject({ refusal });
    expect(loggedReasons(tested)()).toEqual([reason]);
    expect(JSON.stringify(tested.events)).not.toContain(goodKey);
    expect(tested.door.contributions).toEqual([]);
  });

  it('for a wrong key, in words for the user of our own publisher', async () => {
    const { listener } = await testSrtListener();
    const target = { url: `srt://127.0.0.1:${listener.port}`, passphrase: null, latencyMs: 120, streamID: 'wrong' };
    const options = { allowPrivateAddresses: true, connectTimeoutMs: 5000 };
    await expect(connectSrt(target, options, new AbortController().signal)).rejects.toMatchObject({
      code: 'stream_id_refused',
    });
  });

  it('after a wrong key for longer each time, without asking the door, over all protocols', async () => {
    let nowMs = 0;
    const shared = { steadyClock: () => nowMs, delays: new AddressDelays(listenerLimits) };
    const tested = await testSrtListener({}, shared);
    const rtmp = await testListener({}, shared);
    const refusalOf = async (streamID: string) =>
      (await (await RawCaller.open(tested.listener.port)).call({ streamID })).refusal;
    expect(await refusalOf('wrong')).toBe(2403);
    nowMs = 900;
    expect(await refusalOf(goodKey)).toBe(2403);
    expect(tested.door.claims).toHaveLength(1);
    nowMs = 1100;
    expect(await refusalOf('wrong')).toBe(2403);
    nowMs = 2900;
    expect(await refusalOf(goodKey)).toBe(2403);
    expect(tested.door.claims).toHaveLength(2);
    const client = await RawClient.open(rtmp.listener.port);
    client.publish(goodKey);
    // The answers to the commands before `publish` are there.
    await expect.poll(() => client.answers.length).toBeGreaterThan(2);
    nowMs = 3200;
    expect(await refusalOf(goodKey)).toBe(null);
    await client.ended;
    expect(rtmp.door.claims).toEqual([]);
    expect(loggedReasons(tested)()).toEqual(['unknown_key', 'delayed', 'unknown_key', 'delayed']);
  });

  it('beyond the connections of an address, and of all', async () => {
    const tested = await testSrtListener({ mostConnectionsPerAddress: 1, mostConnections: 2 });
    await calling(tested);
    const call = async (localAddress: string) =>
      (await (await RawCaller.open(tested.listener.port, localAddress)).call({ streamID: goodKey })).refusal;
    expect(await call('127.0.0.1')).toBe(1003);
    expect(await call('127.0.0.2')).toBe(null);
    expect(await call('127.0.0.3')).toBe(1003);
    expect(loggedReasons(tested)()).toEqual(['too_many_connections_of_address', 'too_many_connections']);
  });

  it('when the door takes too long, and its receiver learns of the end', async () => {
    const tested = await testSrtListener({ keyWithinSeconds: 0.2 });
    const gate = Promise.withResolvers<void>();
    tested.door.before = () => gate.promise;
    const caller = await RawCaller.open(tested.listener.port);
    caller.handshake(caller.conclusion({ streamID: goodKey }, await caller.cookie()));
    await expect.poll(loggedReasons(tested)).toEqual(['too_slow']);
    gate.resolve();
    await expect.poll(() => tested.door.contributions[0]?.ends).toBe(1);
    expect(tested.listener.figures()).toMatchObject({ connections: 0, contributing: 0 });
  });
});

it('a port that is taken fails with the error of the system', async () => {
  const { listener } = await testSrtListener();
  await expect(testSrtListener({}, { port: listener.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

describe('strangers', () => {
  it('who ask for cookies leave no state, and get no more bytes than they send', async () => {
    const tested = await testSrtListener();
    const callers = await Promise.all(Array.from({ length: 50 }, () => RawCaller.open(tested.listener.port)));
    for (const caller of callers) {
      const request = induction({ socketID: 5, firstSequence: 1, latencyMs: 0, streamID: null });
      for (let times = 0; times < 20; times++) caller.handshake(request);
    }
    await expect.poll(() => callers.reduce((sum, { answers }) => sum + answers.length, 0)).toBeGreaterThan(500);
    expect(tested.listener.figures()).toMatchObject({ connections: 0, refused: 0 });
    for (const { bytesReceived, bytesSent } of callers) expect(bytesReceived).toBeLessThanOrEqual(bytesSent);
  });

  it('whose cookie is that of another address, port or none get no answer', async () => {
    const tested = await testSrtListener();
    const [one, other] = [await RawCaller.open(tested.listener.port), await RawCaller.open(tested.listener.port)];
    const cookie = await one.cookie();
    for (const wrong of [cookie, cookie ^ 1, 0]) other.handshake(other.conclusion({ streamID: goodKey }, wrong >>> 0));
    // Datagrams of one socket keep their order on loopback.
    await other.cookie();
    expect(other.answers).toHaveLength(1);
    expect(tested.door.claims).toEqual([]);
  });

  it('who know the number of a connection cannot send to it from elsewhere', async () => {
    const tested = await testSrtListener();
    const { caller, contribution } = await calling(tested);
    const stranger = await RawCaller.open(tested.listener.port);
    stranger.destinationID = caller.destinationID;
    stranger.data(firstSequence, pictures(1)[0]!);
    stranger.control(controlType.shutdown);
    await stranger.cookie();
    expect(contribution).toMatchObject({ tags: [], ends: 0 });
  });

  it('get an answer no larger than their request when they are admitted', async () => {
    const tested = await testSrtListener();
    const { caller } = await calling(tested);
    expect(caller.bytesReceived - caller.reports.length * 44).toBeLessThanOrEqual(caller.bytesSent);
  });
});

describe('packets', () => {
  it('are put in order, and gaps are reported until they are filled', async () => {
    const tested = await testSrtListener();
    const { caller, contribution } = await calling(tested, { latencyMs: 4000 });
    const pieces = pictures(8);
    for (const index of [0, 3, 2, 6, 7]) caller.data(sequenceAt(index), pieces[index]!);
    const losses = () => caller.ofType(controlType.lossReport).map(({ payload }) => readLosses(payload, 10));
    const whole = [1, 4].map((from) => [sequenceAt(from), sequenceAt(from === 1 ? 1 : 5)]);
    await expect
      .poll(() => losses().filter((each) => JSON.stringify(each) === JSON.stringify(whole)).length)
      .toBeGreaterThan(2);
    for (const index of [5, 5, 1, 4, 0]) caller.data(sequenceAt(index), pieces[index]!);
    caller.control(controlType.shutdown);
    await expect.poll(() => contribution.ends).toBe(1);
    expect(timesOf(contribution)).toEqual(pieces.map((_, index) => 40 * index));
  });

  it('are acknowledged up to the first gap, until the caller has the acknowledgement', async () => {
    const tested = await testSrtListener();
    const { caller } = await calling(tested, { latencyMs: 4000 });
    const pieces = pictures(4);
    for (const index of [0, 1, 3]) caller.data(sequenceAt(index), pieces[index]!);
    const latest = () => caller.ofType(controlType.acknowledgement).at(-1);
    await expect.poll(() => latest()?.payload.readUInt32BE(0)).toBe(sequenceAt(2));
    const { info } = latest()!;
    await expect.poll(() => latest()!.info).toBeGreaterThan(info);
    caller.control(controlType.acknowledgementOfAcknowledgement, latest()!.info);
    caller.data(sequenceAt(2), pieces[2]!);
    await expect.poll(() => latest()!.payload.readUInt32BE(0)).toBe(sequenceAt(4));
    expect(latest()!.payload.readUInt32BE(4)).toBeLessThan(100_000);
  });

  it('that are missing for longer than the latency are given up, with the picture whose end they hid', async () => {
    const tested = await testSrtListener();
    const { caller, contribution } = await calling(tested);
    const pieces = pictures(6);
    for (const index of [0, 1, 3, 4, 5]) caller.data(sequenceAt(index), pieces[index]!);
    await expect.poll(() => timesOf(contribution)).toEqual([0, 120, 160]);
    caller.data(sequenceAt(2), pieces[2]!);
    caller.control(controlType.shutdown);
    await expect.poll(() => contribution.ends).toBe(1);
    expect(timesOf(contribution)).toEqual([0, 120, 160, 200]);
  });

  it('wait in bounded memory, whatever their numbers are', async () => {
    const tested = await testSrtListener();
    const { caller } = await calling(tested, { latencyMs: 4000 });
    for (let index = 1; index < 3000; index++) {
      caller.data(sequenceAt(index * 37), Buffer.alloc(1316, 0x47));
      if (index % 100 === 0) await caller.cookie();
    }
    expect(tested.listener.figures().incompleteBytes).toBeLessThan(1024 * 1024);
    const reports = caller.ofType(controlType.lossReport);
    expect(Math.max(...reports.map(({ payload }) => payload.length))).toBeLessThanOrEqual(1440);
  });

  it('at more than the rate end the connection, and delay its address', async () => {
    const rates = { ...listenerLimits.afterKey.rates!, bytesPerSecond: 1000, burstSeconds: 1 };
    const tested = await testSrtListener({ afterKey: { ...listenerLimits.afterKey, rates } });
    const { caller, contribution } = await calling(tested);
    caller.data(firstSequence, Buffer.alloc(packetBytes * 7, 0x47));
    await expect.poll(() => contribution.ends).toBe(1);
    await expect.poll(() => caller.ofType(controlType.shutdown)).toHaveLength(1);
    const next = await RawCaller.open(tested.listener.port);
    expect(await next.call({ streamID: goodKey })).toMatchObject({ refusal: 2403 });
    expect(loggedReasons(tested)()).toEqual(['protocol', 'delayed']);
  });

  it('are not passed on while the receiver is behind, which has an end', async () => {
    const tested = await testSrtListener({ mostPausedSeconds: 0.2 });
    const { caller, contribution } = await calling(tested);
    contribution.bytesWaiting = Infinity;
    caller.data(firstSequence, pictures(1)[0]!);
    await expect.poll(() => contribution.ends).toBe(1);
    expect(contribution.tags).toEqual([]);
    expect(loggedReasons(tested)()).toEqual(['paused_too_long']);
  });
});

describe('a contribution ends', () => {
  it.each([
    ['connection_lost', 5100, false],
    ['silent', 30_100, true],
  ])('as %s after its time', async (reason, afterMs, isAlive) => {
    let nowMs = 0;
    const tested = await testSrtListener({}, { steadyClock: () => nowMs });
    const { caller, contribution } = await calling(tested);
    for (nowMs = 1000; nowMs < afterMs; nowMs += 1000) {
      if (isAlive) caller.control(controlType.keepAlive);
      const before = caller.reports.length;
      await expect.poll(() => caller.reports.length, { interval: 5 }).toBeGreaterThan(before);
      if (isAlive) await caller.cookie();
    }
    expect(contribution.ends).toBe(0);
    nowMs = afterMs;
    if (isAlive) caller.control(controlType.keepAlive);
    await expect.poll(loggedReasons(tested)).toEqual([reason]);
    expect(contribution).toMatchObject({ ends: 1, isLost: true });
    await expect.poll(() => caller.ofType(controlType.shutdown)).toHaveLength(1);
  });

  it('when the door disconnects it, also twice, and when the listener closes', async () => {
    const tested = await testSrtListener();
    const [one, other] = [await calling(tested), await calling(tested)];
    one.contribution.disconnect();
    one.contribution.disconnect();
    await expect.poll(loggedReasons(tested)).toEqual(['disconnected']);
    await expect.poll(() => one.caller.ofType(controlType.shutdown)).toHaveLength(1);
    await tested.listener.close();
    expect([one.contribution.ends, other.contribution.ends]).toEqual([1, 1]);
  });

  it('if the listener closes while the door decides', async () => {
    const tested = await testSrtListener();
    const gate = Promise.withResolvers<void>();
    tested.door.before = () => gate.promise;
    const caller = await RawCaller.open(tested.listener.port);
    caller.handshake(caller.conclusion({ streamID: goodKey }, await caller.cookie()));
    await expect.poll(() => tested.door.claims).toHaveLength(1);
    await tested.listener.close();
    gate.resolve();
    await expect.poll(() => tested.door.contributions[0]?.ends).toBe(1);
    expect(tested.listener.figures()).toMatchObject({ connections: 0, admitted: 0 });
  });

  it('with the picture that its end completes', async () => {
    const tested = await testSrtListener();
    const { caller, contribution } = await calling(tested);
    caller.data(firstSequence, pictures(1)[0]!);
    caller.control(controlType.shutdown);
    await expect.poll(() => contribution.ends).toBe(1);
    expect([timesOf(contribution), contribution.isLost]).toEqual([[0], false]);
  });
});

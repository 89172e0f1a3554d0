// Keys of contributors: the door decides, wrong keys cost time, and each receiver learns of one end.
import { describe, expect, it } from 'vitest';
import { connectPublisher } from '../../lambda/publisher/rtmp/rtmp-client.ts';
import { messageType } from '../../lambda/publisher/rtmp/message.ts';
import { mediaMessage } from './greeting.ts';
import {
  admitted,
  goodKey,
  keyOfLargeStream,
  keyWithoutPart,
  keyOfRestingInput,
  keyWithoutPlace,
  RawClient,
  testListener,
  unwantedKey,
} from './test-listener.ts';
import type { TestListener } from './test-listener.ts';

const denied = ['NetStream.Publish.Denied'];
const started = ['NetStream.Publish.Start'];
const picture = mediaMessage(messageType.video, 40, Buffer.of(0x17, 1, 2));
const endCounts =
  ({ door }: TestListener) =>
  () =>
    door.contributions.map(({ ends }) => ends);

async function refused(tested: TestListener, key: string) {
  const client = await RawClient.open(tested.listener.port);
  client.publish(key);
  const tookMs = await client.ended;
  return { tookMs, codes: client.statusCodes() };
}

describe('a contributor is admitted', () => {
  it('with its key, whatever query follows it, and its media arrives after the answer', async () => {
    const tested = await testListener();
    const client = await RawClient.open(tested.listener.port);
    client.publish(`${goodKey}?bitrate=6000`);
    await expect.poll(() => client.statusCodes()).toEqual(started);
    client.send(picture);
    const { claim, tags } = tested.door.contributions[0]!;
    expect(claim).toEqual({ protocol: 'rtmp', key: goodKey, address: '127.0.0.1' });
    await expect.poll(() => tags).toEqual([{ type: 'video', timestampMs: 40, body: picture.payload }]);
    expect(tested.listener.figures()).toMatchObject({ connections: 1, contributing: 1, refused: 0 });
  });

  it('and every command is answered that encoders wait for', async () => {
    const tested = await testListener();
    const { client } = await admitted(tested);
    client.command(0, '_checkbw', 6, null);
    client.command(0, 'getStreamLength', 7, null, goodKey);
    client.command(1, 'FCUnpublish', 8, null, goodKey);
    await client.ended;
    const names = client.answers.map(({ name, transactionID }) => `${name} ${transactionID}`);
    expect(names.slice(0, 7)).toEqual([
      '_result 1',
      '_result 2',
      '_result 3',
      '_result 4',
      'onFCPublish 0',
      'onStatus 0',
      '_result 6',
    ]);
    expect(names.slice(7)).toEqual(['_result 8', 'onFCUnpublish 0', 'onStatus 0']);
  });

  it('with messages that it sends before the answer, which the door sees no sooner', async () => {
    const tested = await testListener();
    const gate = Promise.withResolvers<void>();
    tested.door.before = () => gate.promise;
    const client = await RawClient.open(tested.listener.port);
    client.publish(goodKey);
    client.send(picture);
    await expect.poll(() => tested.door.claims).toHaveLength(1);
    expect(client.statusCodes()).toEqual([]);
    gate.resolve();
    await expect.poll(() => tested.door.contributions[0]?.tags).toHaveLength(1);
  });

  it('by the client that publishes our own streams', async () => {
    const tested = await testListener();
    const target = { url: `rtmp://127.0.0.1:${tested.listener.port}/live`, streamKey: goodKey };
    const options = { allowPrivateAddresses: true, connectTimeoutMs: 5000 };
    const publisher = await connectPublisher(target, options, new AbortController().signal);
    publisher.send([{ type: 'audio', timestampMs: 0, payload: Buffer.of(0xaf, 0, 0x11, 0x90) }]);
    await publisher.close();
    await expect.poll(endCounts(tested)).toEqual([1]);
    expect(tested.door.contributions[0]!.tags).toHaveLength(1);
    await expect.poll(() => tested.events).toMatchObject([{ event: 'contributor_ended', reason: 'unpublished' }]);
  });
});

describe('the receiver learns of one end', () => {
  it.each(['FCUnpublish', 'closeStream', 'deleteStream'])('after %s', async (name) => {
    const tested = await testListener();
    const { client, contribution } = await admitted(tested);
    client.command(1, name, 9, null, 1);
    client.command(1, 'deleteStream', 10, null, 1);
    client.send(picture);
    await client.ended;
    await expect.poll(() => tested.listener.figures().connections).toBe(0);
    expect(contribution).toMatchObject({ ends: 1, isLost: false, tags: [] });
  });

  it.each([
    ['the contributor closes', 'left', ({ client }: { client: RawClient }) => client.socket.end()],
    [
      'the connection is reset',
      'connection_lost',
      ({ client }: { client: RawClient }) => client.socket.resetAndDestroy(),
    ],
  ])('when %s', async (_, reason, act) => {
    const tested = await testListener();
    const { client, contribution } = await admitted(tested);
    act({ client });
    await expect.poll(endCounts(tested)).toEqual([1]);
    await expect.poll(() => tested.events).toMatchObject([{ event: 'contributor_ended', reason }]);
    expect(contribution).toMatchObject({ ends: 1, isLost: true });
  });

  it('when the door disconnects it, also twice', async () => {
    const tested = await testListener();
    const { client, contribution } = await admitted(tested);
    contribution.disconnect();
    contribution.disconnect();
    await client.ended;
    await expect.poll(endCounts(tested)).toEqual([1]);
    await expect.poll(() => tested.events).toMatchObject([{ event: 'contributor_ended', reason: 'disconnected' }]);
    expect(contribution.isLost).toBe(false);
  });

  it('when the listener closes, which waits for that', async () => {
    const tested = await testListener();
    const { contribution } = await admitted(tested);
    await tested.listener.close();
    expect(contribution.ends).toBe(1);
  });

  it('if the contributor left while the door decided', async () => {
    const tested = await testListener({ keyWithinSeconds: 0.3 });
    const gate = Promise.withResolvers<void>();
    tested.door.before = () => gate.promise;
    const client = await RawClient.open(tested.listener.port);
    client.publish(goodKey);
    await client.ended;
    gate.resolve();
    await expect.poll(endCounts(tested)).toEqual([1]);
    await expect.poll(() => tested.events).toMatchObject([{ event: 'contributor_refused', reason: 'too_slow' }]);
  });
});

describe('a contributor is refused', () => {
  it('with a wrong key after a delay, during which its address does not get to the door', async () => {
    const tested = await testListener({ firstDelaySeconds: 0.6 });
    const first = refused(tested, 'wrong-key');
    await expect.poll(() => tested.door.claims).toHaveLength(1);
    const second = await refused(tested, goodKey);
    expect(await first).toMatchObject({ codes: denied });
    expect((await first).tookMs).toBeGreaterThan(550);
    expect(second.codes).toEqual(denied);
    expect(tested.door.claims).toHaveLength(1);
    const reasons = () => tested.events.map(({ reason, address }) => `${String(reason)} ${String(address)}`).toSorted();
    await expect.poll(reasons).toEqual(['delayed 127.0.0.1', 'unknown_key 127.0.0.1']);
    await admitted(tested);
    expect(JSON.stringify(tested.events)).not.toContain(goodKey);
    expect(JSON.stringify(tested.events)).not.toContain('wrong-key');
  });

  it('without waiting for other addresses', async () => {
    const tested = await testListener({ firstDelaySeconds: 5 });
    const wrong = await RawClient.open(tested.listener.port, '127.0.0.2');
    wrong.publish('wrong-key');
    await expect.poll(() => tested.door.claims).toHaveLength(1);
    await admitted(tested);
  });

  it('with a key that is not wanted, with the same answer, and without a delay that grows', async () => {
    const tested = await testListener({ firstDelaySeconds: 0.2 });
    for (let attempt = 0; attempt < 3; attempt++)
      expect(await refused(tested, unwantedKey)).toMatchObject({ codes: denied });
    expect(tested.door.claims).toHaveLength(3);
    await admitted(tested);
  });

  it.each([
    [keyWithoutPlace, 'share_used', 'All live contributors that one account may have are connected'],
    [
      keyWithoutPart,
      'unfunded_share_used',
      'Live contributors of all users without a purchase have a part of the places, and too few of it are free. ' +
        'Buy credits, or try again later',
    ],
    [
      keyOfLargeStream,
      'too_demanding',
      'The stream needs more cores than live contributions have. Use a smaller quality or frame rate',
    ],
    [
      keyOfRestingInput,
      'resting',
      'Contributions of this key ended within seconds, again and again. It can be used within a minute',
    ],
  ])('with a key that is valid, in words that name the reason: %s', async (key, reason, description) => {
    const { listener } = await testListener({ firstDelaySeconds: 0.1 });
    const client = await RawClient.open(listener.port);
    client.publish(key);
    await client.ended;
    expect(client.answers.at(-1)?.values[1]).toMatchObject({ code: denied[0], description });
    await expect.poll(() => listener.figures().refusedByReason).toEqual({ [reason]: 1 });
  });

  it.each(['', 'k'.repeat(257), '?only=a-query'])('with a key that is none: %j', async (key) => {
    const tested = await testListener({ firstDelaySeconds: 0.1 });
    expect(await refused(tested, key)).toMatchObject({ codes: denied });
    expect(tested.door.claims).toEqual([]);
  });

  it('within the time for the key, however long the delay of its address is', async () => {
    const tested = await testListener({ firstDelaySeconds: 60, keyWithinSeconds: 0.5 });
    const { tookMs, codes } = await refused(tested, 'wrong-key');
    expect(codes).toEqual(denied);
    expect(tookMs).toBeLessThan(2000);
  });

  it('when the door fails', async () => {
    const tested = await testListener({ firstDelaySeconds: 0.1 });
    tested.door.before = () => Promise.reject(new Error('database is down'));
    expect(await refused(tested, goodKey)).toMatchObject({ codes: denied });
    const logged = () => tested.events.map(({ event }) => event);
    await expect.poll(logged).toEqual(['contributor_door_failed', 'contributor_refused']);
  });

  it('for another application', async () => {
    const tested = await testListener();
    const client = await RawClient.open(tested.listener.port);
    client.socket.write(Buffer.concat([Buffer.of(3), Buffer.alloc(2 * 1536)]));
    client.command(0, 'connect', 1, { app: 'other' });
    client.command(1, 'publish', 2, null, goodKey);
    await client.ended;
    expect(client.answers).toMatchObject([{ name: '_error', transactionID: 1 }]);
    expect(tested.door.claims).toEqual([]);
    await expect.poll(() => tested.listener.figures().refusedByReason).toEqual({ wrong_app: 1 });
  });
});

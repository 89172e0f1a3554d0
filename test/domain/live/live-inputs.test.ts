// Live inputs: the wait for a stable session, longer after losses, their states, keys, networks and addresses.
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stableSecondsAfter } from '../../../lambda/domain/live/flapping.ts';
import { ingestAddresses } from '../../../lambda/domain/live/live-ingest.ts';
import { liveInputState, secondsUntilReady } from '../../../lambda/domain/live/live-input-state.ts';
import { hashLiveKey, liveKey, liveKeyBytes } from '../../../lambda/domain/live/live-key.ts';
import { isNetwork, isWithin } from '../../../lambda/domain/shared/network-address.ts';
import { localSettings, readSettings, settingsAsVariables } from '../../../lambda/settings.ts';

const now = new Date('2030-01-31T18:00:00.000Z');
const before = (seconds: number) => new Date(now.getTime() - seconds * 1000);

describe('the wait after losses', () => {
  it.each([
    [5, 0, 5],
    [5, 2, 5],
    [5, 3, 60],
    [5, 1000, 60],
    [60, 5, 60],
  ])('of %i s after %i losses is %i s', (stableSeconds, losses, expected) => {
    expect(stableSecondsAfter(stableSeconds, losses)).toBe(expected);
  });

  it('never shrinks with a further loss, and never below the setting', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 60 }), fc.nat(2000), (stableSeconds, losses) => {
        const wait = stableSecondsAfter(stableSeconds, losses);
        expect(wait).toBeGreaterThanOrEqual(stableSeconds);
        expect(wait).toBeLessThanOrEqual(60);
        expect(stableSecondsAfter(stableSeconds, losses + 1)).toBeGreaterThanOrEqual(wait);
      }),
    );
  });

  it.each([1, 2, 5, 10, 30])('lets sessions of %i s change a stream at most three times in five minutes', (length) => {
    const ends: number[] = [];
    const changes: number[] = [];
    for (let end = length; end < 1200; end += length) {
      const recent = ends.filter((at) => end - at < 300).length;
      const received = { firstPictureAt: before(length), segmentCount: Math.floor(length / 2) };
      if (secondsUntilReady(received, { stableSeconds: stableSecondsAfter(2, recent), now }) === 0) changes.push(end);
      ends.push(end);
    }
    for (const change of changes)
      expect(changes.filter((other) => other <= change && change - other < 300).length).toBeLessThanOrEqual(3);
  });
});

describe('the state of an input', () => {
  const options = { stableSeconds: 6, isShown: false, now };
  it.each([
    ['idle', null, {}],
    ['receiving', { firstPictureAt: null, segmentCount: 0 }, {}],
    ['receiving', { firstPictureAt: before(3), segmentCount: 1 }, {}],
    ['receiving', { firstPictureAt: before(60), segmentCount: 1 }, {}],
    ['ready', { firstPictureAt: before(4), segmentCount: 2 }, {}],
    ['on_air', { firstPictureAt: before(4), segmentCount: 2 }, { isShown: true }],
    ['idle', null, { isShown: true }],
  ] as const)('is %s for %j, %j', (state, running, more) => {
    expect(liveInputState(running, { ...options, ...more })).toBe(state);
  });

  it.each([
    [null, 0, Infinity],
    [before(0), 0, 4],
    [before(2.5), 1, 2],
    [before(2.5), 9, 2],
    [before(9), 4, 0],
  ])('is ready for %j with %i segments in %j s', (firstPictureAt, segmentCount, expected) => {
    expect(secondsUntilReady({ firstPictureAt, segmentCount }, { stableSeconds: 6, now })).toBe(expected);
  });
});

describe('the key of an input', () => {
  it('has 192 bits, a prefix, and the SHA-256 of its whole text', () => {
    expect(liveKeyBytes * 8).toBe(192);
    const key = liveKey(Buffer.alloc(liveKeyBytes, 0xff));
    expect(key).toBe(`live_${'_'.repeat(32)}`);
    expect(hashLiveKey('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(hashLiveKey(key)).toHaveLength(32);
  });
});

describe('networks', () => {
  it.each(['203.0.113.0/24', '0.0.0.0/0', '192.0.2.7/32', '2001:db8::/32', '::/0', '::1/128'])('%s is one', (text) => {
    expect(isNetwork(text)).toBe(true);
  });

  it.each(['', '203.0.113.0', '203.0.113.0/33', '203.0.113/24', '203.0.113.0/', '203.0.113.0/-1', '203.0.113.0/8/8'])(
    '%j is none',
    (text) => {
      expect(isNetwork(text)).toBe(false);
    },
  );

  it.each(['2001:db8::/129', 'fe80::1%eth0/64', 'example.org/24', '203.0.113.0/1e1', ' 203.0.113.0/24'])(
    '%j is none either',
    (text) => {
      expect(isNetwork(text)).toBe(false);
    },
  );

  it.each([
    ['203.0.113.9', true],
    ['::ffff:203.0.113.9', true],
    ['203.0.114.9', false],
    ['2001:db8::9', true],
    ['2001:db9::9', false],
    ['nobody', false],
  ])('%s is within them: %j', (address, expected) => {
    expect(isWithin(address, ['203.0.113.0/24', '2001:db8::/32'])).toBe(expected);
  });
});

describe('the addresses of an ingest', () => {
  const ingest = {
    rtmpURL: 'rtmp://live.example.org/live',
    rtmpsURL: 'rtmps://live.example.org/live',
    srtURL: 'srt://live.example.org:9710',
  };

  it('begin with the encrypted one', () => {
    expect(ingestAddresses(ingest).map(({ protocol }) => protocol)).toEqual(['rtmps', 'srt', 'rtmp']);
    expect(ingestAddresses({ rtmpURL: ingest.rtmpURL })).toEqual([{ protocol: 'rtmp', url: ingest.rtmpURL }]);
    expect(ingestAddresses(null)).toEqual([]);
  });

  it.each([ingest, { rtmpsURL: ingest.rtmpsURL }, null])(
    'are read from the environment as they were written: %j',
    (liveIngest) => {
      const variables = settingsAsVariables({ ...localSettings, liveIngest });
      expect(readSettings('api', variables).liveIngest).toEqual(liveIngest);
    },
  );

  it.each([
    '{}',
    '[]',
    'null',
    '7',
    '{"rtmpURL":"rtmps://a/b"}',
    '{"rtmpURL":"rtmp://a"}',
    '{"srtURL":"srt://a"}',
    '{',
  ])('are refused if they are malformed: %s', (text) => {
    const variables = { ...settingsAsVariables(localSettings), LIVE_INGEST_ADDRESSES: text };
    expect(() => readSettings('api', variables)).toThrow('LIVE_INGEST_ADDRESSES is malformed');
  });
});

// The cost of a stream and the capacity of a machine: fitting streams, and the resource that limits them.
import { expect, test } from 'vitest';
import {
  agentsInMemory,
  agentsOn,
  capacityOf,
  costOf,
  sourceCostIn,
  roomOf,
  shareOf,
} from '../../../lambda/domain/fleet/capacity.ts';
import type { Capacity, Machine, StreamToSend } from '../../../lambda/domain/fleet/capacity.ts';
import { noCapacityDetail } from '../../../lambda/domain/fleet/no-capacity.ts';

const twoCores: Machine = { cores: 2, speed: 1, memoryMiB: 8192, networkMbps: null, gpuMegapixels: 0 };
const withGpu: Machine = { ...twoCores, cores: 4, memoryMiB: 16_384, gpuMegapixels: 500 };
const stream: StreamToSend = {
  backend: 'manifest',
  quality: 'q_720p',
  framerate: 'f_30',
  videoCodec: 'h264',
  hasSoundTrack: false,
  url: 'rtmp://ingest.example/live',
};
const encoded = { ...stream, backend: 'ffmpeg' } as const;

const fitting = (kind: StreamToSend, capacity: Capacity) => Math.floor(1 / shareOf(costOf(kind), capacity));

test('two cores send a thousand prepared streams, and encode as many as they have cores for', () => {
  const capacity = capacityOf(twoCores);
  expect(fitting(stream, capacity)).toBeGreaterThan(1000);
  expect(fitting(encoded, capacity)).toBe(3);
  expect(fitting({ ...encoded, quality: 'q_1080p' }, capacity)).toBe(1);
  expect(fitting({ ...encoded, quality: 'q_2160p' }, capacity)).toBe(0);
});

test('a machine whose cores are twice as fast has room for twice as many', () => {
  const capacity = capacityOf({ ...twoCores, speed: 2 });
  expect(fitting(encoded, capacity)).toBe(7);
});

test('a GPU takes the encoding from the cores, which still decode and scale', () => {
  expect(fitting({ ...encoded, quality: 'q_1080p' }, capacityOf(withGpu))).toBe(8);
  expect(fitting({ ...encoded, quality: 'q_2160p', framerate: 'f_60' }, capacityOf(withGpu))).toBe(1);
  const heavySource = { ...encoded, quality: 'q_1080p', decodeCost: 20 } as const;
  expect(fitting(heavySource, capacityOf(withGpu))).toBe(1);
});

test('the cost of an encoded stream includes its decode cost, which can be read from it', () => {
  const others = [{ quality: 'q_2160p', framerate: 'f_60' }, { url: 'srt://ingest.example:1' }, {}] as const;
  for (const other of others)
    for (const decodeCost of [0, 1, 72]) {
      const kind = { ...encoded, ...other, decodeCost };
      expect(sourceCostIn(costOf(kind), kind)).toBeCloseTo(decodeCost, 6);
    }
  expect(sourceCostIn(costOf(encoded), encoded)).toBeCloseTo(1, 6);
  expect(sourceCostIn(costOf({ ...encoded, isEncodedForAnother: true }), encoded)).toBeNull();
});

test('a network that is known is a limit, but not for what stays on the machine', () => {
  const capacity = capacityOf({ ...twoCores, networkMbps: 100 });
  expect(fitting(stream, capacity)).toBe(20);
  expect(fitting({ ...stream, url: 'rtmp://127.0.0.1:1935/live' }, capacity)).toBeGreaterThan(1000);
  expect(fitting({ ...stream, url: 'rtmp://127.example.com/live' }, capacity)).toBe(20);
});

test('TLS and a track of sound cost more, and agents that share a machine have a part of it each', () => {
  const alone = capacityOf(twoCores);
  const share = shareOf(costOf(stream), alone);
  expect(shareOf(costOf({ ...stream, url: 'rtmps://ingest.example/live' }), alone)).toBeGreaterThan(2 * share);
  expect(shareOf(costOf({ ...stream, hasSoundTrack: true }), alone)).toBeGreaterThan(1.5 * share);
  const half = capacityOf(twoCores, 2);
  expect(half.thread).toBe(alone.thread);
  expect(fitting(encoded, half)).toBe(1);
});

test('a machine has a second agent where each of the two could still encode the largest stream', () => {
  expect(agentsOn(twoCores, 16)).toBe(1);
  const cores = Array.from({ length: 64 }, (_, index) => index + 1);
  const agents = cores.map((each) => agentsOn({ ...twoCores, cores: each, memoryMiB: 4096 * each }, 16));
  expect(agents.indexOf(2) + 1).toBe(18);
  expect(agents.at(-1)).toBe(7);
  expect(agentsOn({ ...twoCores, cores: 64, memoryMiB: 262_144 }, 4)).toBe(4);
});

test('a machine has the memory for so many agents that each can take a stream', () => {
  expect(agentsInMemory({ memoryMiB: 512 })).toBe(1);
  const machine = { ...twoCores, memoryMiB: 24_000 };
  const agents = agentsInMemory(machine);
  expect(agents).toBe(20);
  expect(shareOf(costOf(stream), { ...capacityOf(machine, agents), cores: 1 })).toBeLessThan(1);
  expect(shareOf(costOf(stream), { ...capacityOf(machine, 40), cores: 1 })).toBe(Infinity);
});

test('no room is left where the shares add up to 1', () => {
  expect(roomOf(capacityOf(twoCores), 1, ['ffmpeg', 'manifest']).streams).toBe(0);
  expect(roomOf(capacityOf(twoCores), 0.99, ['ffmpeg']).streams).toBe(0);
  expect(roomOf(capacityOf(twoCores), 0.99, ['ffmpeg', 'manifest']).streams).toBeGreaterThan(0);
});

test.each([
  [[], 'No publisher of such streams runs'],
  [[{ usedShare: 0.9 }], 'needs 0.50 processor cores, and the only publisher has 0.18 processor cores left'],
  [[{ usedShare: 0.9 }, { usedShare: 0.8 }], 'none of 2 publishers has more than 0.36 processor cores left'],
  [
    [{ usedShare: 0.1, behindReason: 'Its disk is slow.' }],
    'do not keep up with what they send already: Its disk is slow.',
  ],
  [[{ usedShare: 0.1 }], 'No publisher has taken the stream yet'],
])('says of takers %j: %s', (takers, expected) => {
  const capacity = capacityOf(twoCores);
  const all = takers.map((taker) => ({ capacity, behindReason: null, ...taker }));
  expect(noCapacityDetail(costOf(encoded), 'ffmpeg', all)).toContain(expected);
});

test('says of a stream that no publisher could ever take what would help', () => {
  const takers = [{ capacity: capacityOf(twoCores), usedShare: 0, behindReason: null }];
  const detail = noCapacityDetail(costOf({ ...encoded, quality: 'q_2160p' }), 'ffmpeg', takers);
  expect(detail).toContain('no publisher has more than 1.80 processor cores in all');
  expect(detail).toContain('take a lower quality or framerate; send prepared media');
  expect(detail).not.toContain('stop another stream');
});

// An agent's measurements become points of ten seconds, whatever their interval.
import { expect, it } from 'vitest';
import type { StreamStats } from '../../../lambda/data/streams/streams.ts';
import { SeriesCollector } from '../../../lambda/publisher/agent/series-collector.ts';
import { statsWith } from '../../support/actors.ts';

const start = Date.UTC(2030, 0, 1);
const stats = (seconds: number, more: Partial<StreamStats>) => ({
  replicaID: 'rep_1',
  epoch: 1,
  stats: statsWith({ sampledAt: new Date(start + seconds * 1000).toISOString(), ...more }),
});
const ofStream = () => ({ streamID: 'str_1', outputID: '' });

it('rates are means, counts are what came to them, and the state is the worst', () => {
  const collector = new SeriesCollector();
  const live = { framesPerSecond: 30, framesSent: 1 };
  collector.add([stats(1, {})], ofStream);
  collector.add([stats(8, { ...live, bitrateKbps: 1000, droppedFrames: 3 })], ofStream);
  collector.add([stats(16, { ...live, bitrateKbps: 2000, droppedFrames: 4, reconnects: 1 })], ofStream);
  collector.add([stats(24, { framesSent: 1, droppedFrames: 100, reconnects: 1 })], ofStream);
  // Another claim of the same agent starts its counts at zero.
  collector.add([stats(32, { ...live, droppedFrames: 2 })], ofStream);
  expect(collector.take('all')).toEqual([
    {
      streamID: 'str_1',
      outputID: '',
      points: [
        [0, 500, 15, 3, 0, 'connecting'],
        [10, 2000, 30, 1, 1, 'live'],
        [20, 0, 0, 96, 0, 'failing'],
        [30, 0, 30, 2, 0, 'live'],
      ].map(([seconds, bitrateKbps, framesPerSecond, droppedFrames, reconnects, state]) => ({
        at: new Date(start + Number(seconds) * 1000),
        bitrateKbps,
        framesPerSecond,
        droppedFrames,
        reconnects,
        state,
      })),
    },
  ]);
});

it('waits a minute for its points to be written together, and leaves backups out', () => {
  const collector = new SeriesCollector();
  for (let seconds = 0; seconds < 70; seconds += 5) {
    collector.add([stats(seconds, {})], ofStream);
    expect(collector.isDue(new Date(start + seconds * 1000))).toBe(seconds >= 60);
  }
  const taken = collector.take('ended');
  expect(taken[0]!.points).toHaveLength(6);
  collector.putBack(taken);
  expect(collector.take('ended')).toEqual(taken);
  expect(collector.take('ended')).toEqual([]);
  collector.add([stats(80, {})], () => null);
  expect(collector.take('all')[0]!.points).toHaveLength(1);
  expect(collector.take('all')).toEqual([]);
});

it('has points of each output of a stream, and puts back those of each', () => {
  const collector = new SeriesCollector();
  const both = [stats(1, { bitrateKbps: 5 }), { ...stats(1, { bitrateKbps: 7 }), replicaID: 'rep_2' }];
  collector.add(both, (replicaID) => ({ streamID: 'str_1', outputID: replicaID === 'rep_1' ? '' : 'out_2' }));
  const taken = collector.take('all');
  expect(taken.map(({ outputID, points }) => [outputID, points.map(({ bitrateKbps }) => bitrateKbps)])).toEqual([
    ['', [5]],
    ['out_2', [7]],
  ]);
  collector.putBack(taken);
  expect(collector.take('ended')).toEqual(taken);
});

it('the last minute of the only output is due after it has ended, and then nothing is', () => {
  const collector = new SeriesCollector();
  collector.add([stats(1, {})], ofStream);
  // An agent without outputs has no figures.
  collector.add([], ofStream);
  expect([collector.areAny, collector.isDue(new Date(start + 59_000))]).toEqual([true, false]);
  expect(collector.isDue(new Date(start + 60_000))).toBe(true);
  expect(collector.take('ended')).toHaveLength(1);
  expect(collector.areAny).toBe(false);
});

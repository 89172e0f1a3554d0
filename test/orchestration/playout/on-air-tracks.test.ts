// The track that is the programme at a time of a run, and the aired parts that belong to it.
import { expect, it } from 'vitest';
import type { TimelineEntry, TimelineItem } from '../../../lambda/domain/playout/play-out.ts';
import { airedOfTrack, mainTrackOf } from '../../../lambda/orchestration/playout/on-air-rows.ts';

const entry = (offsetSeconds: number, items: number): TimelineEntry => ({
  number: offsetSeconds,
  offsetSeconds,
  playlistID: null,
  snapshot: { mode: 'sequential', seed: 0, items: Array.from({ length: items }, () => ({}) as TimelineItem) },
});

it('the programme is the track that was it then, whatever was published since', () => {
  const timelines = { video: [entry(0, 3), entry(100, 1)], audio: [entry(0, 1), entry(100, 5)] };
  expect([-1, 0, 99.9, 100, 1000].map((seconds) => mainTrackOf(timelines, seconds))).toEqual([
    'video',
    'video',
    'video',
    'audio',
    'audio',
  ]);
});

it('what stands in for pictures stands in for no sound beside them, nor the other way round', () => {
  const frames = { outputID: null, fromFrame: 0, toFrame: 9, bytes: 1 };
  const aired = [{ ...frames, standInIDs: { video: 'film', audio: 'song' } }];
  expect(airedOfTrack(aired, 'video')).toEqual([{ ...frames, standInID: 'film' }]);
  expect(airedOfTrack(aired, 'audio')).toEqual([{ ...frames, standInID: 'song' }]);
});

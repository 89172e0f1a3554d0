// A segment without the requested groups is damaged: the damage is reported, and a stand-in plays.
import { expect, it } from 'vitest';
import { SegmentDamaged } from '../../../lambda/publisher/prepared/segment-format.ts';
import { SessionSegments } from '../../../lambda/publisher/prepared/session-segments.ts';
import type { SegmentHeader } from '../../../lambda/publisher/prepared/segment-format.ts';
import { SegmentStore } from '../../../lambda/publisher/prepared/segment-store.ts';
import { Span } from '../../../lambda/publisher/prepared/span.ts';
import { TrackReader } from '../../../lambda/publisher/prepared/track-reader.ts';
import { format, item, timelineOf } from './prepared-clips.ts';
import { objectsOf, syntheticSegments } from './synthetic-renditions.ts';

const film = item('film', 25);
const other = item('other', 5);
const filmKey = 'renditions/v1/film/q_720p-f_30/0';
/** The film's first segment as in a rendition of a still with the same bytes: 60 pictures of 600. */
function segmentsOfStill() {
  const segments = syntheticSegments([film, other], format);
  const [still] = syntheticSegments([item('film', 2)], format);
  return segments.set(...still!);
}

const storeOf = (segments: ReadonlyMap<string, Buffer>) =>
  new SegmentStore({ objects: objectsOf(segments), maxCachedBytes: 1024 * 1024 });

it.each([
  ['behind its end', 60, 90],
  ['across its end', 30, 90],
  ['none at all', 30, 30],
])('a span of groups of a segment that are %s is damage', async (_, first, end) => {
  const store = storeOf(segmentsOfStill());
  await expect(filmSpan(store, await store.header(filmKey), first, end)).rejects.toBeInstanceOf(SegmentDamaged);
});

it('a rendition of another length than the upload has is reported, and something else plays meanwhile', async () => {
  const lost: string[] = [];
  const entries = timelineOf(film, other);
  const contentHashes = new Map(['film', 'other'].map((id) => [id, id]));
  const store = storeOf(segmentsOfStill());
  const loadTimeline = async () => ({ entries, contentHashes });
  const reader = new TrackReader(
    {
      store,
      format,
      framesPerSecond: 30,
      loadTimeline,
      currentTimeline: loadTimeline,
      sessions: new SessionSegments({ store, framesPerSecond: 30, gopFrames: 60, log: () => {} }),
      onLost: (uploadID, made) => void lost.push('segment' in made ? `${uploadID} ${made.segment}` : made.join),
      log: () => {},
    },
    0,
  );
  const span = await reader.next();
  expect(span.playing.occurrence.item.uploadID).toBe('other');
  expect(lost).toEqual(['film 0']);
});

it('slices that follow one another in memory are one, so that they take one write', async () => {
  const store = storeOf(syntheticSegments([film], format));
  const header = await store.header(filmKey);
  const [before, after] = [await filmSpan(store, header, 0, 30), await filmSpan(store, header, 30, 60)];
  const offsets = [before.offsetOf(10), before.offsetOf(30), after.offsetOf(40)] as const;
  const together: Buffer[] = [];
  before.slice(offsets[0], offsets[1], together);
  after.slice(offsets[1], offsets[2], together);
  expect(together).toHaveLength(1);
  const apart: Buffer[] = [];
  after.slice(offsets[1], offsets[2], apart);
  before.slice(offsets[0], offsets[1], apart);
  expect(apart).toHaveLength(2);
  expect(together[0]).toEqual(Buffer.concat(apart.toReversed()));
});

async function filmSpan(store: SegmentStore, header: SegmentHeader, first: number, end: number): Promise<Span> {
  const occurrence = { item: film, entryNumber: 0, playlistID: null, lap: 0, startFrame: 0, frameCount: 750 };
  const playing = { occurrence, startFrame: 0, frameCount: 750, skippedFrames: 0 };
  return Span.load(store, filmKey, { playing, header, first, end, sound: null, groupBefore: null });
}

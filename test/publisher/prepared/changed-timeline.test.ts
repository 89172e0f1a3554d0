// Prepared items that end otherwise because their timeline has changed while they play: no picture or sound is lost.
import { expect, it } from 'vitest';
import { occurrencesFrom } from '../../../lambda/domain/playout/play-out.ts';
import type { TimelineEntry, TimelineItem } from '../../../lambda/domain/playout/play-out.ts';
import { SegmentStore } from '../../../lambda/publisher/prepared/segment-store.ts';
import { steps } from '../../support/recording.ts';
import { CheckingIngest, frameTimes } from './checking-ingest.ts';
import { format, item, mediaOptions, play } from './prepared-clips.ts';
import { labelOffset, objectsOf, syntheticSegments } from './synthetic-renditions.ts';

const rate = 30;
const seconds = 16;
const [film, next] = [item('film', 12.3), item('next', 20)];
const crossfade = { kind: 'crossfade', seconds: 1.7 } as const;

function entry(number: number, offsetSeconds: number, ...items: readonly TimelineItem[]): TimelineEntry {
  return { number, offsetSeconds, playlistID: null, snapshot: { mode: 'sequential', seed: 1, items } };
}

const loop = [entry(0, 0, film, next)];
const joined = [entry(0, 0, { ...film, join: crossfade }, next)];

it.each([
  ['sooner, as after a skip', loop, [...loop, entry(1, 9.7, next)]],
  ['later, by a cut in place of a crossfade', joined, [...joined, entry(1, 0, film), entry(2, 12.3, next)]],
  ['within another entry', loop, [...loop, entry(1, 0, film), entry(2, 12.3, next)]],
])('ends %s', async (_, before, changed) => {
  const ingest = new CheckingIngest();
  const store = new SegmentStore({ objects: objectsOf(syntheticSegments([film, next], format)), maxCachedBytes: 1e6 });
  const isChanged = () => ingest.video.length > 3 * rate;
  await play(
    mediaOptions(store, () => ({ video: isChanged() ? changed : before })),
    ingest,
    { seconds },
  );
  expect(steps(frameTimes(ingest.video))).toEqual([33, 34]);
  // A frame lasts 21⅓ ms. The time of its rendition and its own time within it are each rounded.
  expect(steps(frameTimes(ingest.audio)).filter((step) => step < 20 || step > 23)).toEqual([]);
  const sent = ingest.video
    .filter(({ payload }) => payload[1] === 1)
    .map(({ payload }) => `${payload[labelOffset.video]} ${payload.readUInt16BE(labelOffset.video + 1)}`);
  expect(sent.length).toBeGreaterThan((seconds - 1) * rate);
  expect(sent).toEqual(wanted(changed).slice(0, sent.length));
});

/** The item and its picture at each frame of a timeline. */
function wanted(entries: readonly TimelineEntry[]): string[] {
  return [...occurrencesFrom(entries, 0, rate).take(4)].flatMap(({ item: { uploadID }, frameCount }) =>
    Array.from({ length: frameCount }, (_, picture) => `${uploadID === 'film' ? 0 : 1} ${picture}`),
  );
}

// Parts of items, wherever they are cut: the sound of a stream has no gap, and belongs to its pictures.
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { occurrencesFrom } from '../../../lambda/domain/playout/play-out.ts';
import type { ItemPart, TimelineEntry } from '../../../lambda/domain/playout/play-out.ts';
import { soundGridFrame } from '../../../lambda/domain/playout/prepared-play-out.ts';
import { SegmentStore } from '../../../lambda/publisher/prepared/segment-store.ts';
import { steps } from '../../support/recording.ts';
import { CheckingIngest, frameTimes } from './checking-ingest.ts';
import { format, item, mediaOptions, play } from './prepared-clips.ts';
import { labelOffset, objectsOf, syntheticSegments } from './synthetic-renditions.ts';

const rate = 30;
const gopSeconds = 2;
const seconds = 16;
const film = item('film', 30);
const runs = 60;

/** A part that begins and ends at keyframes, and a spot of any length after it. */
const broken = fc.record({
  from: fc.integer({ min: 0, max: 3 }),
  gops: fc.integer({ min: 1, max: 2 }),
  spotFrames: fc.integer({ min: 31, max: 75 }),
});

it('has a frame of sound at each place of the grid, and each is the nearest to its picture', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(broken, { minLength: 3, maxLength: 6 }), async (breaks) => {
      const spots = breaks.map(({ spotFrames }, index) => item(`spot${index}`, spotFrames / rate));
      const parts = breaks.flatMap(({ from, gops }): (ItemPart | null)[] => [
        { fromSeconds: from * gopSeconds, untilSeconds: (from + gops) * gopSeconds },
        null,
      ]);
      const items = [film, ...spots];
      const order = breaks.flatMap((_, index) => [0, index + 1]);
      const snapshot = { mode: 'sequential', seed: 1, items, order, parts } as const;
      const entries: TimelineEntry[] = [{ number: 0, offsetSeconds: 0, playlistID: null, snapshot }];

      const ingest = new CheckingIngest();
      const objects = objectsOf(syntheticSegments(items, format));
      const store = new SegmentStore({ objects, maxCachedBytes: 1024 * 1024 });
      await play(
        mediaOptions(store, () => ({ video: entries })),
        ingest,
        { seconds },
      );

      expect(steps(frameTimes(ingest.video))).toEqual([33, 34]);
      // A frame lasts 21⅓ ms. The time of its rendition and its own time within it are each rounded.
      expect(steps(frameTimes(ingest.audio)).filter((step) => step < 20 || step > 23)).toEqual([]);
      const sent = ingest.audio
        .filter(({ payload }) => payload[1] === 1)
        .map(
          ({ payload }) =>
            `${items[payload[labelOffset.audio]!]!.uploadID} ${payload.readUInt16BE(labelOffset.audio + 1)}`,
        );
      expect(sent).toEqual(wantedSound(entries).slice(0, sent.length));
    }),
    { numRuns: runs },
  );
});

/** The item and its frame of sound at each place of the stream's grid of sound. */
function wantedSound(entries: readonly TimelineEntry[]): string[] {
  const wanted: string[] = [];
  for (const { item: played, startFrame, frameCount, skippedFrames = 0 } of occurrencesFrom(entries, 0, rate)) {
    if (startFrame > (seconds + 2) * rate) return wanted;
    const origin = soundGridFrame(startFrame - skippedFrames, rate);
    const end = soundGridFrame(startFrame + frameCount, rate);
    for (let place = soundGridFrame(startFrame, rate); place < end; place++)
      wanted.push(`${played.uploadID} ${place - origin}`);
  }
  return wanted;
}

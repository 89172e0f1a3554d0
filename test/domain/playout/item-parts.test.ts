// Parts of items: rows of a timeline that play an item from a time on, up to another one.
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { compose } from '../../../lambda/domain/playout/composition.ts';
import { usualTheme } from '../../../lambda/domain/playout/overlays.ts';
import { fromOrigin, isCutOff, occurrenceAt, occurrencesFrom } from '../../../lambda/domain/playout/play-out.ts';
import type { ItemPart, TimelineEntry, TimelineItem } from '../../../lambda/domain/playout/play-out.ts';
import {
  firstSoundFrameFrom,
  playingAt,
  soundFrameNearest,
  soundFramesOf,
  soundOriginOf,
} from '../../../lambda/domain/playout/prepared-play-out.ts';

const item = (uploadID: string, durationSeconds: number): TimelineItem => ({
  itemID: uploadID,
  uploadID,
  name: uploadID,
  objectKey: uploadID,
  kind: 'video',
  durationSeconds,
  hasAudio: true,
});

const anyRows = fc.array(
  fc.record({
    seconds: fc.double({ min: 1, max: 90, noNaN: true }),
    cuts: fc.uniqueArray(fc.integer({ min: 1, max: 44 }), { maxLength: 4 }),
  }),
  { minLength: 1, maxLength: 5 },
);

/** An entry that plays each item in parts between its cuts, and an insert after each row. */
function entryOf(rows: readonly { readonly seconds: number; readonly cuts: readonly number[] }[]): TimelineEntry {
  const items = [item('insert', 3.3), ...rows.map(({ seconds }, index) => item(`item${index}`, seconds))];
  const order: number[] = [];
  const parts: (ItemPart | null)[] = [];
  for (const [index, { seconds, cuts }] of rows.entries()) {
    const points = cuts.map((cut) => 2 * cut).filter((point) => point < seconds - 1);
    const edges = [0, ...points.toSorted((one, other) => one - other)];
    for (const [place, fromSeconds] of edges.entries()) {
      order.push(index + 1, 0);
      parts.push({ fromSeconds, untilSeconds: edges[place + 1] ?? null }, null);
    }
  }
  const snapshot = { mode: 'sequential', seed: 1, items, order, parts } as const;
  return { number: 0, offsetSeconds: 0, playlistID: null, snapshot };
}

test.each([24, 25, 30, 60])('parts follow each other without a frame between them, at %d frames a second', (rate) => {
  fc.assert(
    fc.property(anyRows, fc.integer({ min: 1, max: 4000 }), (rows, cutFrame) => {
      const first = entryOf(rows);
      const timeline = [first, { ...first, number: 1, offsetSeconds: cutFrame / rate }];
      let frame = 0;
      let sound = 0;
      const reached = new Map<string, number>();
      for (const occurrence of occurrencesFrom(timeline, 0, rate).take(60)) {
        const { startFrame, frameCount, skippedFrames = 0, item: played } = occurrence;
        expect(startFrame).toBe(frame);
        expect(occurrenceAt(timeline, startFrame + frameCount - 1, rate)).toEqual(occurrence);
        frame += frameCount;
        if (skippedFrames > 0 && !(startFrame === cutFrame)) expect(reached.get(played.itemID)).toBe(skippedFrames);
        reached.set(played.itemID, skippedFrames + frameCount);
        expect(isCutOff(occurrence, rate) && frame !== cutFrame).toBe(false);
        const playing = playingAt(occurrence, startFrame, 1e9);
        expect([playing.startFrame, playing.skippedFrames]).toEqual([startFrame - skippedFrames, skippedFrames]);
        // Sound has a grid of its own, without a hole, and is at most half a frame of it away from the pictures.
        expect(soundOriginOf(playing, rate) + soundFrameNearest(playing, skippedFrames, rate)).toBe(sound);
        expect(soundFramesOf(playing, rate)).toBeLessThanOrEqual(firstSoundFrameFrom(playing.frameCount, rate));
        const own = firstSoundFrameFrom(skippedFrames, rate);
        expect([own - 1, own]).toContain(soundFrameNearest(playing, skippedFrames, rate));
        sound = soundOriginOf(playing, rate) + soundFramesOf(playing, rate);
        const apartSeconds = (soundOriginOf(playing, rate) * 1024) / 48_000 - playing.startFrame / rate;
        expect(Math.abs(apartSeconds)).toBeLessThan(0.01067);
      }
    }),
    { numRuns: 60 },
  );
});

test('titles, captions and clocks of a later part are those of its time of the item', () => {
  const theme = usualTheme;
  const title = { place: 'bottomLeft', seconds: 5 } as const;
  const clock = { place: 'topRight', timeZone: 'UTC', shows: 'time', language: 'de' } as const;
  const captions = { place: 'bottom' } as const;
  const overlays = { logo: null, logoKey: null, title, next: null, theme, clock, captions } as never;
  const whole = entryOf([{ seconds: 60, cuts: [10] }]);
  const items = whole.snapshot.items.map((each) => ({ ...each, captions: 'hash' }));
  const timeline = [{ ...whole, snapshot: { ...whole.snapshot, items, overlays } }];
  const [first, , second] = occurrencesFrom(timeline, 0, 30).take(3);
  const drawn = (occurrence: typeof first, range: { first: number; end: number }) =>
    compose({ entries: timeline }, occurrence!, { framesPerSecond: 30, range, liveSinceMs: 0 })!.layers[0]!.drawn!;
  expect(fromOrigin(second!)).toMatchObject({ startFrame: 99, skippedFrames: 600 });
  expect(drawn(first, { first: 0, end: 600 }).texts.map(({ lines }) => lines)).toEqual([['item0']]);
  const later = drawn(second, { first: 600, end: 1800 });
  expect(later.texts).toEqual([]);
  expect(later.captions).toMatchObject({ hash: 'hash' });
  // The item would have begun 3.3 s after the run, so its 60th second is 63.3 s after it.
  expect(later.running!.map(({ lines, fromSeconds }) => [lines[0], Math.round(fromSeconds * 10) / 10])).toEqual([
    ['00:00', -3.3],
    ['00:01', 56.7],
  ]);
});

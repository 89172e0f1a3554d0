// The next item's title is drawn over the end of each live-encoded item, also in a shuffled order.
import { expect, it } from 'vitest';
import { usualNext, usualTheme } from '../../lambda/domain/playout/overlays.ts';
import { frameCountOf, occurrencesFrom } from '../../lambda/domain/playout/play-out.ts';
import type { TimelineEntry } from '../../lambda/domain/playout/play-out.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { madeSample } from '../support/media-samples.ts';
import { CheckingIngest } from '../publisher/prepared/checking-ingest.ts';
import { openEncoded } from '../publisher/prepared/heard-sound.ts';
import { panelWidths } from '../publisher/prepared/panel-widths.ts';
import { item, timelineOf } from '../publisher/prepared/prepared-clips.ts';

const tools = await findMediaTools(process.env);
const rate = 30;
const nextSeconds = 1;
const overlays = {
  logo: null,
  logoKey: null,
  title: null,
  next: { ...usualNext, place: 'topLeft', seconds: nextSeconds },
  theme: { ...usualTheme, panelColour: '#ffffff', panelOpacityPercent: 100, textColour: '#000000' },
} as const;
const films = ['first', 'second', 'third'].map((name) => item(name, 2.5, { hasAudio: false, titles: { title: name } }));

it.each(['sequential', 'shuffle'] as const)('%s', async (mode) => {
  const black = ['-f', 'lavfi', '-i', 'color=black:s=320x180:r=30:d=2.5', '-c:v', 'libx264', '-preset', 'ultrafast'];
  const path = await madeSample('black-2.5.mp4', black);
  const [entry] = timelineOf(...films);
  const entries: TimelineEntry[] = [{ ...entry!, snapshot: { ...entry!.snapshot, mode, overlays } }];
  const shown = await widthsOf(entries, path);
  const frames = frameCountOf(films[0]!, rate);
  const isDue = (index: number) => index % frames >= frames - nextSeconds * rate;
  expect(shown.map((width) => width > 0)).toEqual(shown.map((_, index) => isDue(index)));
  // The panel is as wide as the title, and all items of the first lap have different ones.
  const lasts = [...occurrencesFrom(entries, 0, rate).take(4)].map(({ startFrame }) => shown[startFrame + frames - 5]!);
  const following = [...occurrencesFrom(entries, 0, rate).take(5)].slice(1).map(({ item: { itemID } }) => itemID);
  expect(new Map(lasts.map((width, index) => [width, following[index]])).size).toBe(new Set(following).size);
  expect(new Set(following.map((itemID, index) => `${itemID} ${lasts[index]}`)).size).toBe(new Set(following).size);
});

/** Bright share of the top of each picture, for four items. */
async function widthsOf(entries: readonly TimelineEntry[], path: string): Promise<number[]> {
  const source = await openEncoded(tools, { video: entries, audio: [], pathOf: () => path }, 0);
  const ingest = new CheckingIngest();
  for (let frame = 0; frame < 4 * frameCountOf(films[0]!, rate) + rate; frame++) {
    const { video } = await source.next();
    const timestampMs = Math.round((frame * 1000) / rate);
    if (video.sequenceHeader) ingest.send([{ type: 'video', timestampMs, payload: video.sequenceHeader }]);
    ingest.send([{ type: 'video', timestampMs, payload: video.payload }]);
  }
  await source.close();
  return panelWidths(tools, ingest, 4 * frameCountOf(films[0]!, rate));
}

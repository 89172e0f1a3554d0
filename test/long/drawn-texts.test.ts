// The memory of drawing: the most texts of one ffmpeg, each as long as it may be, are drawn within the tool's limit.
import { expect, it } from 'vitest';
import { captionBounds } from '../../lambda/domain/playout/captions.ts';
import type { TextBlock } from '../../lambda/domain/playout/drawings.ts';
import { overlayBounds } from '../../lambda/domain/playout/overlays.ts';
import { drawTexts } from '../../lambda/publisher/drawing/text-sheet.ts';
import { mostCuesOver } from '../../lambda/publisher/encoded/text-limits.ts';

const theme = { style: 'panel', textColour: '#ffffff', panelColour: '#000000', panelOpacityPercent: 60 } as const;
const longest = (length: number) => 'WORDS '.repeat(length).slice(0, length);
const caption = {
  place: 'bottom',
  theme,
  lines: Array.from({ length: captionBounds.lines }, () => longest(200)),
  isCaption: true,
  fromSeconds: 0,
  toSeconds: 1,
} as unknown as TextBlock;
const line = {
  place: 'bottom',
  theme,
  lines: [longest(overlayBounds.tickerLineLength[1])],
  ticker: { runSeconds: 0 },
  fromSeconds: 0,
  toSeconds: null,
} as unknown as TextBlock;

it.each([
  { width: 1280, height: 720 },
  { width: 1920, height: 1080 },
  { width: 1080, height: 1920 },
  { width: 2560, height: 1440 },
  { width: 3840, height: 2160 },
])('$width × $height', async (size) => {
  const captions = Array.from({ length: mostCuesOver(size) }, () => caption);
  const lines = Array.from({ length: overlayBounds.tickerLines[1] }, () => line);
  const sheet = await drawTexts([...captions, ...lines], size, new AbortController().signal);
  expect(sheet!.texts).toHaveLength(captions.length + lines.length);
});

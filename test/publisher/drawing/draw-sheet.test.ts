// The sheet of texts: each text has a place of its own, and few pixels are for none.
import { expect, it } from 'vitest';
import { drawSheet } from '../../../lambda/publisher/drawing/draw-sheet.ts';
import type { DrawingRequest, PlacedText } from '../../../lambda/publisher/drawing/text-sheet.ts';

type Text = DrawingRequest['texts'][number];

const theme = { style: 'panel', textColour: '#ffffff', panelColour: '#000000', panelOpacityPercent: 60 } as const;
const ticker = { place: 'bottom', theme, lines: ['News of the day. '.repeat(20)], ticker: null } as unknown as Text;
const caption = (words: number): Text =>
  ({ place: 'top', theme, lines: ['word '.repeat(words), 'and more'], isCaption: true }) as unknown as Text;
const size = { width: 640, height: 360 };

const doOverlap = (a: PlacedText, b: PlacedText) =>
  a.left < b.left + b.width && b.left < a.left + a.width && a.top < b.top + b.height && b.top < a.top + a.height;

it('has each text within it, apart from the others', () => {
  const { png, texts } = drawSheet({ ...size, texts: [caption(3), ticker, caption(40), caption(1), ticker] });
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  for (const { left, top, ...text } of texts) {
    expect(left + text.width).toBeLessThanOrEqual(width);
    expect(top + text.height).toBeLessThanOrEqual(height);
  }
  const pairs = texts.flatMap((a, index) => texts.slice(index + 1).map((b) => doOverlap(a, b)));
  expect(pairs).toEqual(pairs.map(() => false));
});

it('is at most half as large again as its texts, however wide a ticker is beside captions', () => {
  const { png, texts } = drawSheet({ ...size, texts: [ticker, ...Array.from({ length: 40 }, () => caption(8))] });
  const needed = texts.reduce((sum, text) => sum + text.width * text.height, 0);
  expect(png.readUInt32BE(16) * png.readUInt32BE(20)).toBeLessThan(1.5 * needed);
});

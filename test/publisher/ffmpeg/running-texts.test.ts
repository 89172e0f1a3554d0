// A clock and a ticker over pictures: a new text every minute, and lines that move evenly across joins.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { clockTexts, tickerPace, tickerTexts } from '../../../lambda/domain/playout/running-texts.ts';
import { usualClock, usualTheme, usualTicker } from '../../../lambda/domain/playout/overlays.ts';
import { drawTexts } from '../../../lambda/publisher/drawing/text-sheet.ts';
import { overlayFilters, overlayInputs } from '../../../lambda/publisher/ffmpeg/overlays.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';

const tools = await findMediaTools(process.env);
const signal = new AbortController().signal;
const theme = { ...usualTheme, panelColour: '#000000', panelOpacityPercent: 100, textColour: '#ffffff' };

describe('a clock', () => {
  const clock = { ...usualClock, timeZone: 'Europe/Berlin' };
  const at = (time: string) => Date.parse(time);

  it('has a text for each minute that begins or goes on in a stretch of an item', () => {
    const texts = clockTexts({ clock, theme }, at('2026-11-24T12:59:30Z'), { fromSeconds: 10, toSeconds: 95 });
    expect(texts.map(({ lines, fromSeconds, toSeconds }) => [...lines, fromSeconds, toSeconds])).toEqual([
      ['13:59', -30, 30],
      ['14:00', 30, 90],
      ['14:01', 90, 150],
    ]);
  });

  it('goes on with summer time, and has the date in the language that is wished', () => {
    const german = { ...clock, shows: 'dateAndTime' as const, language: 'de-DE' };
    const texts = clockTexts({ clock: german, theme }, at('2026-03-29T00:59:00Z'), { fromSeconds: 0, toSeconds: 120 });
    expect(texts.map(({ lines }) => lines)).toEqual([
      ['01:59', 'Sonntag, 29. März'],
      ['03:00', 'Sonntag, 29. März'],
    ]);
  });
});

describe('a ticker', () => {
  const [width, height, framesPerSecond] = [640, 360, 30];
  const size = { width, height };
  const ticker = { ...usualTicker, lines: ['▮', '▮▮'] };

  /** The bright columns of the bar in each picture that ffmpeg draws from a time of an item on. */
  async function brightColumns(runSeconds: number, startSeconds: number, frames: number): Promise<number[][]> {
    const sheet = (await drawTexts(tickerTexts({ ticker, theme }, runSeconds), size, signal))!;
    const overlay = { logo: null, sheet };
    const { input, at } = overlayInputs(overlay, { first: 1, sheet: null });
    const pictures = { filters: ['[0:v:0]format=yuv420p'], size, startSeconds, framesPerSecond };
    const [graph] = overlayFilters(pictures, overlay, at);
    const bar = sheet.texts[0]!;
    const row = `crop=${width}:2:0:${bar.y + Math.round(bar.height / 2)},extractplanes=y,scale=${width}:1:flags=area`;
    const source = ['-f', 'lavfi', '-i', `color=black:s=${width}x${height}:r=${framesPerSecond}`];
    const filters = ['-filter_complex', `${graph},${row}[rows]`, '-map', '[rows]'];
    const drawing = ['-v', 'error', ...source, ...input, ...filters, '-frames:v', String(frames)];
    const run = promisify(execFile)(tools.ffmpegPath, [...drawing, '-f', 'rawvideo', '-'], { encoding: 'buffer' });
    run.child.stdin!.end(sheet.png);
    const { stdout } = await run;
    return Array.from({ length: frames }, (_, frame) =>
      [...stdout.subarray(frame * width, (frame + 1) * width).entries()].flatMap(([x, luma]) =>
        luma > 128 ? [x] : [],
      ),
    );
  }

  it('runs evenly, from the right edge on, and goes on where another item begins', async () => {
    const { pixelsPerFrame } = tickerPace(width, framesPerSecond);
    const first = await brightColumns(0, 0, 90);
    // A text at the left edge at the start of a run would have come earlier.
    const middle = first.map((columns) => columns.filter((x) => x > width / 4));
    const begun = middle.findIndex((columns) => columns.length > 0);
    const lefts = middle.slice(begun).map((columns) => columns[0]!);
    expect(lefts[0]).toBeGreaterThan(width - 40);
    expect(new Set(lefts.slice(1).map((left, index) => lefts[index]! - left))).toEqual(new Set([pixelsPerFrame]));
    // The next item begins after two seconds of the run; or this one is opened in the middle.
    expect(await brightColumns(2, 0, 10)).toEqual(first.slice(60, 70));
    expect(await brightColumns(1, 1, 10)).toEqual(first.slice(60, 70));
  });

  it('comes again once all of it was there', async () => {
    const { pixelsPerFrame } = tickerPace(width, framesPerSecond);
    const columns = await brightColumns(0, 0, 900);
    const begins = columns.flatMap((here, frame) => {
      const before = columns[frame - 1] ?? [];
      const enters = here.includes(width - 1) && !before.includes(width - 1);
      return enters ? [frame] : [];
    });
    expect(begins.length).toBeGreaterThanOrEqual(5);
    // Three marks in each round: one of the first line, and two of the second line.
    const [one, two, three, again] = begins as [number, number, number, number];
    expect(begins[4]! - two).toBe(again - one);
    expect((again - one) * pixelsPerFrame).toBeGreaterThan(width);
    expect(three).toBeLessThan(again);
  });
});

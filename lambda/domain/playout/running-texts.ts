// Texts that change all the time and so cannot be prepared: a clock and a ticker.
import type { TextBlock } from './drawings.ts';
import type { ClockOverlay, Overlays } from './overlays.ts';

/** Seconds of an item, from its beginning on. */
interface Stretch {
  readonly fromSeconds: number;
  readonly toSeconds: number;
}

const minuteMs = 60_000;

/**
 * The readings of a clock during a stretch of an item, one for each minute.
 * @param beginsAtMs start of the item, in milliseconds since 1970
 */
export function clockTexts(
  { clock, theme }: Pick<Overlays, 'clock' | 'theme'>,
  beginsAtMs: number,
  { fromSeconds, toSeconds }: Stretch,
): TextBlock[] {
  if (!clock) return [];
  const read = readerOf(clock);
  const texts: TextBlock[] = [];
  const endMs = beginsAtMs + toSeconds * 1000;
  let atMs = Math.floor((beginsAtMs + fromSeconds * 1000) / minuteMs) * minuteMs;
  for (; atMs < endMs; atMs += minuteMs) {
    const times = { fromSeconds: (atMs - beginsAtMs) / 1000, toSeconds: (atMs + minuteMs - beginsAtMs) / 1000 };
    texts.push({ place: clock.place, theme, lines: read(atMs), ...times });
  }
  return texts;
}

/** A function that formats an instant for a clock: the time, and below it the date if wanted. */
function readerOf({ timeZone, shows, language }: ClockOverlay): (atMs: number) => string[] {
  const time = new Intl.DateTimeFormat(language, { timeZone, hour: '2-digit', minute: '2-digit' });
  const date = new Intl.DateTimeFormat(language, { timeZone, weekday: 'long', day: 'numeric', month: 'long' });
  return (atMs) => [time.format(atMs), ...(shows === 'dateAndTime' ? [date.format(atMs)] : [])];
}

/**
 * The bar of a ticker and its lines, for the whole item.
 * @param runSeconds start of the item, after the beginning of the run: the lines continue across items
 */
export function tickerTexts({ ticker, theme }: Pick<Overlays, 'ticker' | 'theme'>, runSeconds: number): TextBlock[] {
  if (!ticker) return [];
  const always = { place: ticker.place, fromSeconds: 0, toSeconds: null };
  const line = (text: string): TextBlock => ({
    ...always,
    theme: { ...theme, style: 'plain' },
    lines: [text],
    ticker: { runSeconds },
  });
  return [{ ...always, theme: { ...theme, style: 'bar' }, lines: [], ticker: null }, ...ticker.lines.map(line)];
}

/** A text that identifies the clock and ticker of overlays; empty if they have neither. */
export function runningIn(overlays: Overlays | null | undefined): string {
  const { clock = null, ticker = null } = overlays ?? {};
  return clock || ticker ? JSON.stringify([clock, ticker, overlays!.theme]) : '';
}

/** Whether overlays have graphics that cannot be prepared. */
export function isRunning(overlays: Pick<Overlays, 'clock' | 'ticker'> | null | undefined): boolean {
  return Boolean(overlays?.clock ?? overlays?.ticker);
}

/** Seconds in which a line crosses the picture. */
const crossingSeconds = 10;

/** The speed and distance of ticker lines, in pixels of a picture of this width. */
export function tickerPace(width: number, framesPerSecond: number) {
  const wished = width / crossingSeconds / framesPerSecond;
  // An even number: colours are stored for blocks of 2 by 2 pixels, so a line at an odd place would shiver.
  return { pixelsPerFrame: Math.max(2, 2 * Math.round(wished / 2)), gapPixels: 2 * Math.round(width / 40) };
}

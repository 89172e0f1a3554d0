// Reads caption files in the formats SubRip (SRT) and WebVTT. The content decides which of the two a file is.
import { shownTitle } from './titles.ts';

/** A text, and the time when it is shown. */
export interface Cue {
  /** Time since the beginning of the upload. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Lines of text. None is empty. */
  readonly lines: readonly string[];
}

/** The limits of a caption file. */
export const captionBounds = {
  /** Size in UTF-8. Captions for two hours of film need a third of it. */
  bytes: 300_000,
  cues: 10_000,
  /** Lines of one cue, and of all cues that are shown at the same time. More lines would cover the pictures. */
  lines: 4,
  /** The most cues that may begin within this time: each is drawn separately. */
  densest: { cues: 60, seconds: 20 },
} as const;

/** Lines of a caption in its file, also those that show nothing. To read a line takes time. */
const mostWrittenLines = 10 * captionBounds.lines;

/** The reason why a file cannot be read, for the author of the file. */
export class CaptionsError extends Error {
  override readonly name = 'CaptionsError';
}

interface NumberedLine {
  readonly text: string;
  /** Line number, from 1 as in editors. */
  readonly number: number;
}

const time = String.raw`(?:(\d{1,3}):)?([0-5]\d):([0-5]\d)[.,](\d{3})`;
/** A line of times. The text after the times gives a position, which is ignored: the stream decides the position. */
const timing = new RegExp(`^${time}[ \\t]+-->[ \\t]+${time}(?:[ \\t].*)?$`);
const isAside = /^(?:NOTE|STYLE|REGION)(?:[ \t]|$)/;
/**
 * Tags of HTML and WebVTT, times within a cue, and the tags that SubRip took from SSA. Other angle brackets are text.
 */
const tag = /<\/?[a-z][^<>]*>|<[\d:.]+>|<\/>|\{\\[^{}]*\}/gi;
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', nbsp: ' ', lrm: '', rlm: '' };

/** The cues of a file, by start time. @throws {CaptionsError} */
export function parseCaptions(file: string): Cue[] {
  if (Buffer.byteLength(file) > captionBounds.bytes)
    throw new CaptionsError(`The file has more than ${captionBounds.bytes} bytes. Give captions alone.`);
  const lines = file.replace(/^\ufeff/, '').split(/\r\n|\r|\n/);
  const isWebVTT = /^WEBVTT(?:[ \t]|$)/.test(lines[0]!);
  const blocks = blocksOf(lines);
  const cues: Cue[] = [];
  for (const block of isWebVTT ? blocks.filter(([{ number }]) => number > 1) : blocks) {
    if (isWebVTT && isAside.test(block[0].text)) continue;
    const cue = cueOf(block);
    if (cue) cues.push(cue);
    if (cues.length > captionBounds.cues)
      throw new CaptionsError(`Line ${block[0].number}: there are more than ${captionBounds.cues} captions.`);
  }
  if (cues.length === 0) throw new CaptionsError('The file has no captions. Give an SRT or a WebVTT file.');
  const sorted = cues.toSorted((one, other) => one.fromMs - other.fromMs);
  const { densest, lines: mostLines } = captionBounds;
  return sorted
    .map((cue, index) => {
      const dense = sorted[index + densest.cues];
      if (dense && dense.fromMs - cue.fromMs < densest.seconds * 1000)
        throw new CaptionsError(
          `From ${Math.floor(cue.fromMs / 1000)} seconds on, more than ${densest.cues} captions begin within ` +
            `${densest.seconds} seconds. Give fewer.`,
        );
      // Later cues push the lines of this one off the screen from then on.
      const pushedOutMs = sorted[index + mostLines]?.fromMs ?? Infinity;
      return { ...cue, toMs: Math.min(cue.toMs, pushedOutMs) };
    })
    .filter(({ fromMs, toMs }) => toMs > fromMs);
}

/** The captions during a stretch of an upload, one after the other. Cues that overlap become one caption. */
export function shownCaptions(
  cues: readonly Cue[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Cue[] {
  const seen = cues.filter((cue) => cue.toMs > fromMs && cue.fromMs < toMs);
  const times = [...new Set(seen.flatMap((cue) => [cue.fromMs, cue.toMs]))].toSorted((one, other) => one - other);
  return times.slice(0, -1).flatMap((begins, index): Cue[] => {
    const ends = times[index + 1]!;
    const lines = seen.filter((cue) => cue.fromMs <= begins && cue.toMs > begins).flatMap((cue) => cue.lines);
    if (lines.length === 0 || ends <= fromMs || begins >= toMs) return [];
    return [{ fromMs: begins, toMs: ends, lines: lines.slice(-captionBounds.lines) }];
  });
}

/** The captions of a part of an upload as an SRT file, with their number; null: the part has none. */
export function partOfCaptions(
  file: string,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): { readonly file: string; readonly count: number } | null {
  const cues = parseCaptions(file).filter((cue) => cue.toMs > fromMs && cue.fromMs < toMs);
  if (cues.length === 0) return null;
  const blocks = cues.map((cue, index) => {
    const times = [Math.max(0, cue.fromMs - fromMs), cue.toMs - fromMs].map(writtenTime);
    return [index + 1, times.join(' --> '), ...cue.lines.map(escaped)].join('\n');
  });
  return { file: `${blocks.join('\n\n')}\n`, count: cues.length };
}

function writtenTime(milliseconds: number): string {
  const digits = (value: number, count = 2) => String(Math.floor(value)).padStart(count, '0');
  const ms = Math.round(milliseconds);
  const [hours, minutes, seconds] = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1000) % 60];
  return `${digits(hours)}:${digits(minutes)}:${digits(seconds)},${digits(ms % 1000, 3)}`;
}

/** A line as it is written, no longer than its author may have written it: only texts that look like markup change. */
function escaped(line: string): string {
  return line.replaceAll(/&(?=\w+;)/g, '&amp;').replaceAll(/<(?=[a-z/\d:.])/gi, '&lt;');
}

/** The start of the first cue after `fromMs` and after `count` further cues; Infinity if there is none. */
export function afterCues(cues: readonly Cue[], fromMs: number, count: number): number {
  return cues.filter((cue) => cue.fromMs > fromMs)[count]?.fromMs ?? Infinity;
}

type Block = [NumberedLine, ...NumberedLine[]];

/** The blocks of a file, which empty lines separate. */
function blocksOf(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  let isOpen = false;
  for (const [index, text] of lines.entries()) {
    const line = { text: text.trim(), number: index + 1 };
    if (line.text === '') isOpen = false;
    else if (isOpen) blocks.at(-1)!.push(line);
    else {
      blocks.push([line]);
      isOpen = true;
    }
  }
  return blocks;
}

/** @returns null if the block has no visible text */
function cueOf([first, second, ...others]: Block): Cue | null {
  const isNamed = !first.text.includes('-->');
  const [head, text] = isNamed ? [second, others] : [first, [...(second ? [second] : []), ...others]];
  const match = head && timing.exec(head.text);
  if (!match) {
    const { number } = head ?? first;
    throw new CaptionsError(`Line ${number}: times were expected, such as 00:00:01,000 --> 00:00:04,000.`);
  }
  const [fromMs, toMs] = [milliseconds(match.slice(1, 5)), milliseconds(match.slice(5, 9))];
  if (toMs <= fromMs) throw new CaptionsError(`Line ${head.number}: the caption ends before it begins.`);
  const tooLong = () =>
    new CaptionsError(`Line ${head.number}: the caption has more than ${captionBounds.lines} lines.`);
  if (text.length > mostWrittenLines) throw tooLong();
  const lines = text.map((line) => shownTitle(plain(line.text))).filter((line) => line !== null);
  if (lines.length > captionBounds.lines) throw tooLong();
  return lines.length === 0 ? null : { fromMs, toMs, lines };
}

function milliseconds([hours = '0', minutes, seconds, thousandths]: readonly (string | undefined)[]): number {
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(thousandths);
}

function plain(text: string): string {
  return text.replaceAll(tag, '').replaceAll(/&([a-z]+);/g, (whole, name: string) => entities[name] ?? whole);
}

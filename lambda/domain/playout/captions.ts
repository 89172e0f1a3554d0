// Reads the files of captions that users set beside an upload: SubRip (SRT) and WebVTT, told apart by what is in them.
import { shownTitle } from './titles.ts';

/** What is shown together, and when. */
export interface Cue {
  /** After the beginning of the upload. */
  readonly fromMs: number;
  readonly toMs: number;
  /** None is empty. */
  readonly lines: readonly string[];
}

/** The most that is read of a file. */
export const captionBounds = {
  /** In UTF-8. Two hours of film have a third of it. */
  bytes: 300_000,
  cues: 10_000,
  /** Of one cue, and of all that are shown together: more covers the pictures. */
  lines: 4,
  /** So many cues begin within so long at the most: each is drawn by itself. */
  densest: { cues: 60, seconds: 20 },
} as const;

/** Why a file cannot be read, for whoever made it. */
export class CaptionsError extends Error {
  override readonly name = 'CaptionsError';
}

interface NumberedLine {
  readonly text: string;
  /** From 1, as editors count. */
  readonly number: number;
}

const time = String.raw`(?:(\d{1,3}):)?([0-5]\d):([0-5]\d)[.,](\d{3})`;
/** What follows the times says where they are shown, which the stream decides. */
const timing = new RegExp(`^${time}[ \\t]+-->[ \\t]+${time}(?:[ \\t].*)?$`);
const isAside = /^(?:NOTE|STYLE|REGION)(?:[ \t]|$)/;
/** Of HTML and WebVTT, of times within a cue, and those that SubRip took from SSA. Other angles are text. */
const tag = /<\/?[a-z][^<>]*>|<[\d:.]+>|<\/>|\{\\[^{}]*\}/gi;
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', nbsp: ' ', lrm: '', rlm: '' };

/** The cues of a file, in the order of their beginnings. @throws {CaptionsError} */
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
      // The lines of those that follow leave it no room from then on.
      const pushedOutMs = sorted[index + mostLines]?.fromMs ?? Infinity;
      return { ...cue, toMs: Math.min(cue.toMs, pushedOutMs) };
    })
    .filter(({ fromMs, toMs }) => toMs > fromMs);
}

/** What is shown at once, in milliseconds of the upload. */
export interface ShownCaption {
  readonly fromMs: number;
  readonly toMs: number;
  readonly lines: readonly string[];
}

/** What is shown during a stretch of an upload, one after the other: cues that overlap are shown together. */
export function shownCaptions(
  cues: readonly Cue[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): ShownCaption[] {
  const seen = cues.filter((cue) => cue.toMs > fromMs && cue.fromMs < toMs);
  const times = [...new Set(seen.flatMap((cue) => [cue.fromMs, cue.toMs]))].toSorted((one, other) => one - other);
  return times.slice(0, -1).flatMap((begins, index): ShownCaption[] => {
    const ends = times[index + 1]!;
    const lines = seen.filter((cue) => cue.fromMs <= begins && cue.toMs > begins).flatMap((cue) => cue.lines);
    if (lines.length === 0 || ends <= fromMs || begins >= toMs) return [];
    return [{ fromMs: begins, toMs: ends, lines: lines.slice(-captionBounds.lines) }];
  });
}

/** When the cues after so many are begun to be shown, after a time; Infinity where there are no more. */
export function afterCues(cues: readonly Cue[], fromMs: number, count: number): number {
  return cues.filter((cue) => cue.fromMs > fromMs)[count]?.fromMs ?? Infinity;
}

type Block = [NumberedLine, ...NumberedLine[]];

/** What empty lines part. */
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

/** @returns null where nothing of its text is shown */
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
  const lines = text.map((line) => shownTitle(plain(line.text))).filter((line) => line !== null);
  if (lines.length > captionBounds.lines)
    throw new CaptionsError(`Line ${head.number}: the caption has more than ${captionBounds.lines} lines.`);
  return lines.length === 0 ? null : { fromMs, toMs, lines };
}

function milliseconds([hours = '0', minutes, seconds, thousandths]: readonly (string | undefined)[]): number {
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(thousandths);
}

function plain(text: string): string {
  return text.replaceAll(tag, '').replaceAll(/&([a-z]+);/g, (whole, name: string) => entities[name] ?? whole);
}

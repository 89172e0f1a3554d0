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
  /** In UTF-8. */
  bytes: 1_000_000,
  cues: 20_000,
  /** Of one cue: more covers the pictures. */
  lines: 4,
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
  return cues.toSorted((one, other) => one.fromMs - other.fromMs);
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

// Draws texts as pictures that ffmpeg overlays. A short-lived process of its own draws them.
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { TextBlock } from '../../domain/playout/drawings.ts';
import type { Profile } from '../ffmpeg/profile.ts';
import { describeExit, startMediaTool, ToolError } from '../ffmpeg/media-tool.ts';

/** The place of a text on the sheet and in the picture, in pixels. */
export interface PlacedText {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Its place on the sheet. */
  readonly left: number;
  readonly top: number;
}

/** Texts at the edge of a ticker are moved by this many heights of its bar. */
export const besideTicker = 1.15;

/** Texts beside and below each other on one transparent picture. */
export interface TextSheet {
  readonly png: Buffer;
  readonly texts: readonly (PlacedText & Pick<TextBlock, 'place' | 'fromSeconds' | 'toSeconds' | 'ticker'>)[];
}

/** The request to the drawing process, sent as JSON. */
export interface DrawingRequest {
  readonly width: number;
  readonly height: number;
  readonly texts: readonly Pick<TextBlock, 'place' | 'theme' | 'lines' | 'isCaption' | 'ticker'>[];
}

/** The program of the process. In the bundle it has a folder of its own. */
const path = import.meta.url.endsWith('.ts') ? './draw.task.ts' : './drawing/index.mjs';
const program = fileURLToPath(new URL(path, import.meta.url));
const readAheadBytes = 32 * 1024 * 1024;
/** Timeout of the drawing. It takes a fifth of a second, but many seconds on a busy machine. */
const timeoutMs = 60_000;
/** Memory limit of the drawing. The texts of a picture, each as long as it may be, take two thirds of it. */
const memoryMiB = 1536;

/**
 * Draws the texts of several pictures on one sheet, as an ffmpeg can read only one from its stdin.
 * @returns for each picture, the sheet with only its own texts; null if it has none
 * @throws the errors of `drawTexts`
 */
export async function drawTogether(
  texts: readonly (readonly TextBlock[])[],
  size: Pick<Profile, 'width' | 'height'>,
  signal: AbortSignal,
): Promise<(TextSheet | null)[]> {
  const sheet = await drawTexts(texts.flat(), size, signal);
  const placed = [...(sheet?.texts ?? [])];
  return texts.map(({ length }) => {
    const own = placed.splice(0, length);
    return sheet && own.length > 0 ? { png: sheet.png, texts: own } : null;
  });
}

/** @returns null without texts @throws {ToolError} when they cannot be drawn; the signal's reason */
export async function drawTexts(
  texts: readonly TextBlock[],
  { width, height }: Pick<Profile, 'width' | 'height'>,
  signal: AbortSignal,
): Promise<TextSheet | null> {
  if (texts.length === 0) return null;
  const request: DrawingRequest = { width, height, texts };
  const tool = startMediaTool(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    readAheadBytes,
    memoryMiB,
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  });
  tool.stdin.end(JSON.stringify(request));
  const answer = await buffer(tool.stdout);
  const exit = await tool.exited;
  signal.throwIfAborted();
  if (exit.code !== 0) throw new ToolError(`texts were not drawn: ${describeExit(exit, tool.log())}`);
  const end = 4 + answer.readUInt32BE(0);
  const placed = JSON.parse(answer.toString('utf8', 4, end)) as PlacedText[];
  return {
    png: answer.subarray(end),
    texts: placed.map((place, index) => {
      const { place: where, fromSeconds, toSeconds, ticker } = texts[index]!;
      return { ...place, place: where, fromSeconds, toSeconds, ...(ticker !== undefined && { ticker }) };
    }),
  };
}

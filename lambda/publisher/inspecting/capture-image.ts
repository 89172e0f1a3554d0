// JPEGs from ffmpeg, in memory.
import { buffer } from 'node:stream/consumers';
import { describeExit, examiningMemoryMiB, startMediaTool, ToolError } from '../ffmpeg/media-tool.ts';
import { isSourceUnreadable } from '../media/source-fault.ts';
import type { Source } from '../media/structure.ts';

const quiet = '-nostdin -hide_banner -loglevel error -filter_threads 1'.split(' ');
/** What a JPEG is: colours of BT.601 in full range, whatever the picture had. */
export const asJpeg = 'out_color_matrix=bt601:out_range=pc';
const toStdout = '-an -sn -c:v mjpeg -q:v 4 -f image2pipe pipe:1'.split(' ');
/** No picture of ours is as large. */
const readAheadBytes = 8 * 1024 * 1024;

export interface ImageRequest extends Source {
  /** What comes between the guard of the source and the output. */
  readonly input: readonly string[];
  readonly filters: readonly string[];
  /** What ffmpeg reads from its stdin. */
  readonly stdin?: Buffer;
  /** At most so many pictures, one after the other; they come as the filters let them. Default: one. */
  readonly pictures?: number;
  /** Whether ffmpeg gives way to everything else, as nobody waits for it. Default: true */
  readonly background?: boolean;
}

/**
 * @returns null where there is no picture, or ffmpeg cannot make one, as when the signal ends it
 * @throws {ToolError} when the source cannot be read, or ffmpeg is missing
 */
export async function captureImage({
  tools,
  sourceURL,
  signal,
  input,
  filters,
  stdin,
  pictures = 1,
  background = true,
}: ImageRequest): Promise<Buffer | null> {
  const options = { sourceURL, readAheadBytes, signal, background, memoryMiB: examiningMemoryMiB };
  const filterArguments = ['-filter_complex', [...filters, 'format=yuvj420p'].join(',')];
  const count = ['-fps_mode', 'passthrough', '-frames:v', String(pictures)];
  const tool = startMediaTool(
    tools.ffmpegPath,
    [...quiet, ...input, ...filterArguments, ...count, ...toStdout],
    options,
  );
  tool.stdin.end(stdin);
  const image = await buffer(tool.stdout);
  const exit = await tool.exited;
  if (signal.aborted) return null;
  if (exit.brokenOff || isSourceUnreadable(tool.log())) throw new ToolError(describeExit(exit, tool.log()));
  return exit.code === 0 && image.length > 0 ? image : null;
}

// Makes JPEGs with ffmpeg, in memory.
import { buffer } from 'node:stream/consumers';
import { describeExit, examiningMemoryMiB, startMediaTool, ToolError } from '../ffmpeg/media-tool.ts';
import type { MediaToolOptions } from '../ffmpeg/media-tool.ts';
import { isSourceUnreadable } from '../media/source-fault.ts';
import type { Source } from '../media/structure.ts';

const quiet = '-nostdin -hide_banner -loglevel error -filter_threads 1'.split(' ');
/** The colours of a JPEG: BT.601 in full range. */
export const asJpeg = 'out_color_matrix=bt601:out_range=pc';
const toStdout = '-an -sn -c:v mjpeg -q:v 4 -f image2pipe pipe:1'.split(' ');
/** More than any of our pictures. */
const readAheadBytes = 8 * 1024 * 1024;

export interface ImageRequest extends Source {
  /** The arguments for the input. */
  readonly input: readonly string[];
  readonly filters: readonly string[];
  /** The input for ffmpeg's stdin. */
  readonly stdin?: Buffer;
  /** Most pictures to return, one after the other. The filters select them. Default: one. */
  readonly pictures?: number;
  /** Default: true. */
  readonly background?: MediaToolOptions['background'];
}

/**
 * @returns null if there is no picture, or ffmpeg cannot make one, or the signal ended it
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

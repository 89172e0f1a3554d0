// The similarity of one of our pictures and a picture of a recording.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';

/** JPEG uses another matrix and range than video. */
const toVideo = 'scale=in_color_matrix=bt601:out_color_matrix=bt709:in_range=pc:out_range=tv,format=yuv420p';

/** The SSIM of a JPEG and frame `index` of a recording of the same size; 1 if they are equal. */
export async function ssimOf(tools: MediaTools, jpeg: string, recording: string, index: number): Promise<number> {
  const recorded = `[0:v]select=eq(n\\,${index}),setpts=0,format=yuv420p[a]`;
  const compare = `${recorded};[1:v]${toVideo},setpts=0[b];[a][b]ssim`;
  const inputs = ['-i', recording, '-i', jpeg, '-filter_complex', compare, '-an', '-f', 'null', '-'];
  const { stderr } = await promisify(execFile)(tools.ffmpegPath, ['-nostdin', '-hide_banner', ...inputs]);
  return Number(/All:([\d.]+)/.exec(stderr)?.[1]);
}

// Clips whose every frame encodes its number and its clip's number, in bars that survive any encoder.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';

const run = promisify(execFile);
/** Number of bars. The upper bars encode the number of a frame, the lower bars that of its clip. */
const bars = 16;
const framesPerSecond = 30;

/** A frame of a clip. */
export interface BarcodeFrame {
  readonly clip: number;
  readonly frame: number;
}

/** Makes a clip of this many seconds. @returns its path */
export async function makeBarcodeClip(
  { ffmpegPath }: MediaTools,
  path: string,
  clip: number,
  seconds: number,
  keyframeEvery = 250,
): Promise<string> {
  const bar = (number: string) => `if(mod(floor(${number}/pow(2\\,floor(X*${bars}/W)))\\,2)\\,235\\,16)`;
  const picture = `geq=lum='if(lt(Y\\,H/2)\\,${bar('N')}\\,${bar(String(clip))})':cb=128:cr=128`;
  const drawn = `color=black:s=160x90:r=${framesPerSecond}:d=${seconds},${picture}`;
  const video = `${drawn},scale=320:180:flags=neighbor`;
  const sources = ['-f', 'lavfi', '-i', video, '-f', 'lavfi', '-i', `sine=frequency=${300 + 50 * clip}:d=${seconds}`];
  const codecs = [
    '-c:v',
    'libx264',
    '-preset',
    'ultrafast',
    '-g',
    String(keyframeEvery),
    '-pix_fmt',
    'yuv420p',
    '-c:a',
    'aac',
    '-shortest',
  ];
  await run(ffmpegPath, ['-nostdin', '-v', 'error', '-y', ...sources, ...codecs, path]);
  return path;
}

/** The decoded bars of a recording of such clips, frame by frame. */
export async function readBarcodes({ ffmpegPath }: MediaTools, path: string): Promise<BarcodeFrame[]> {
  const filters = `scale=${bars}:2:flags=area,format=gray`;
  const output = ['-vf', filters, '-fps_mode', 'passthrough', '-f', 'rawvideo', 'pipe:1'];
  const { stdout } = await run(ffmpegPath, ['-nostdin', '-v', 'error', '-i', path, ...output], {
    encoding: 'buffer',
    maxBuffer: 1024 ** 3,
  });
  const numberAt = (place: number) =>
    Array.from({ length: bars }, (_, bar) => (stdout[place + bar]! > 125 ? 2 ** bar : 0)).reduce((a, b) => a + b, 0);
  return Array.from({ length: stdout.length / (2 * bars) }, (_, index) => ({
    frame: numberAt(index * 2 * bars),
    clip: numberAt(index * 2 * bars + bars),
  }));
}

// Clips whose picture flashes and whose sound beeps at the same moments, and a search for both in an output.
import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';

export interface SyncClip {
  readonly path: string;
  readonly size: string;
  readonly framesPerSecond: number;
  readonly seconds: number;
  /** Null makes a clip without sound. */
  readonly sampleRate: number | null;
  readonly codecs: readonly string[];
}

/** Time of each flash: every two seconds, after half a second, for a tenth of a second. */
const flash = 'between(mod(t\\,2)\\,0.5\\,0.6)';

export async function makeSyncClip(
  { ffmpegPath }: MediaTools,
  { path, size, framesPerSecond, seconds, sampleRate, codecs }: SyncClip,
): Promise<string> {
  const black = `color=black:s=${size}:r=${framesPerSecond}:d=${seconds}`;
  const picture = `${black},drawbox=color=white:t=fill:enable='${flash}'`;
  const sound =
    sampleRate === null
      ? []
      : ['-f', 'lavfi', '-i', `aevalsrc='0.8*sin(2*PI*1000*t)*${flash}':s=${sampleRate}:d=${seconds}`];
  const input = ['-f', 'lavfi', '-i', picture, ...sound];
  const output = ['-pix_fmt', 'yuv420p', ...codecs, path];
  await promisify(execFile)(ffmpegPath, ['-nostdin', '-v', 'error', '-y', ...input, ...output]);
  return path;
}

/** The seconds at which flashes begin, by the presentation times in the file. */
export async function flashes({ ffmpegPath }: MediaTools, file: string, framesPerSecond: number): Promise<number[]> {
  const filter = `fps=${framesPerSecond}:start_time=0,scale=1:1,format=gray`;
  const luma = await decode(ffmpegPath, ['-i', file, '-map', '0:v', '-vf', filter, '-f', 'rawvideo']);
  return rises([...luma].map((value) => value > 110)).map((index) => index / framesPerSecond);
}

/** The seconds at which beeps begin, to a millisecond. */
export async function beeps({ ffmpegPath }: MediaTools, file: string): Promise<number[]> {
  const mono = ['-af', 'aresample=48000:async=1:first_pts=0', '-ac', '1', '-ar', '48000', '-f', 's16le'];
  const bytes = await decode(ffmpegPath, ['-i', file, '-map', '0:a', ...mono]);
  const perMillisecond = 48;
  const loud: boolean[] = [];
  for (let at = 0; at + perMillisecond * 2 <= bytes.length; at += perMillisecond * 2) {
    let peak = 0;
    for (let sample = 0; sample < perMillisecond; sample++)
      peak = Math.max(peak, Math.abs(bytes.readInt16LE(at + sample * 2)));
    loud.push(peak > 4000);
  }
  // A tone swings through zero, so a beep begins only after 50 ms of silence.
  const sounds = loud.map((_, index) => loud.slice(Math.max(0, index - 50), index + 1).some(Boolean));
  return rises(sounds).map((index) => index / 1000);
}

function rises(levels: readonly boolean[]): number[] {
  return levels.flatMap((level, index) => (level && index > 0 && !levels[index - 1] ? [index] : []));
}

function decode(ffmpegPath: string, args: readonly string[]): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn(ffmpegPath, ['-nostdin', '-v', 'error', ...args, '-'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve(Buffer.concat(chunks)) : reject(new Error(`ffmpeg ended with ${code}`)),
    );
  });
}

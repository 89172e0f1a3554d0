// Clips of one colour and one tone, and the colours and tones of a recording: items are told apart in each frame.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';

export type Colour = readonly [red: number, green: number, blue: number];

/** A clip of one colour and one tone. */
export interface ColourClip {
  readonly path: string;
  readonly colour: Colour;
  readonly toneHz: number;
  readonly seconds: number;
}

/** @param aroundSeconds seconds of black and of silence before the colour and the tone, and after them */
export async function makeColourClip(
  { ffmpegPath }: MediaTools,
  { path, colour, toneHz, seconds: ownSeconds }: ColourClip,
  aroundSeconds = 0,
): Promise<void> {
  const seconds = ownSeconds + 2 * aroundSeconds;
  const isAround = `enable='lt(t,${aroundSeconds - 0.001})+gte(t,${aroundSeconds + ownSeconds - 0.001})'`;
  const filters = ['-vf', `drawbox=c=black:t=fill:${isAround}`, '-af', `volume=0:${isAround}`];
  const hex = colour.map((part) => part.toString(16).padStart(2, '0')).join('');
  const pictures = ['-f', 'lavfi', '-i', `color=0x${hex}:s=640x360:r=30:d=${seconds}`];
  const sound = ['-f', 'lavfi', '-i', `sine=frequency=${toneHz}:sample_rate=48000:duration=${seconds}`];
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac'];
  await promisify(execFile)(ffmpegPath, [
    '-nostdin',
    '-v',
    'error',
    '-y',
    ...pictures,
    ...sound,
    ...filters,
    ...codecs,
    path,
  ]);
}

/** The mean colour of each frame of a recording. */
export async function coloursOf({ ffmpegPath }: MediaTools, file: string): Promise<Colour[]> {
  const output = ['-an', '-fps_mode', 'passthrough', '-vf', 'scale=1:1:flags=area', '-pix_fmt', 'rgb24'];
  const bytes = await decoded(ffmpegPath, ['-i', file, ...output, '-f', 'rawvideo', '-']);
  return Array.from({ length: bytes.length / 3 }, (_, frame) => {
    const [red, green, blue] = bytes.subarray(frame * 3, frame * 3 + 3);
    return [red!, green!, blue!] as const;
  });
}

const sampleRate = 48_000;

/** The sound of a recording, as 48,000 mono samples a second. */
export async function samplesOf({ ffmpegPath }: MediaTools, file: string): Promise<Int16Array> {
  const output = ['-vn', '-ac', '1', '-ar', String(sampleRate), '-f', 's16le', '-'];
  const bytes = await decoded(ffmpegPath, ['-i', file, ...output]);
  return new Int16Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / 2));
}

/** The frequency of the tone in half a second of sound, from the times at which it rises through zero. */
export function toneAt(samples: Int16Array, seconds: number): number {
  const from = Math.round(seconds * sampleRate);
  const part = samples.subarray(from, from + sampleRate / 2);
  let rises = 0;
  for (let index = 1; index < part.length; index++) if (part[index - 1]! < 0 && part[index]! >= 0) rises++;
  return rises * 2;
}

async function decoded(ffmpegPath: string, args: readonly string[]): Promise<Buffer> {
  const options = { encoding: 'buffer', maxBuffer: 1 << 28 } as const;
  const { stdout } = await promisify(execFile)(ffmpegPath, ['-nostdin', '-v', 'error', ...args], options);
  return stdout;
}

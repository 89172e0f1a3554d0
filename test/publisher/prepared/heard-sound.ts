// The audible sound of a stream as samples: from a recording of an ingest, and from the ffmpeg backend.
import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TimelineEntry } from '../../../lambda/domain/playout/play-out.ts';
import { openFrames } from '../../../lambda/publisher/encoded/ffmpeg-media.ts';
import type { FrameSource } from '../../../lambda/publisher/encoded/ffmpeg-media.ts';
import { audioFormat, profileOf } from '../../../lambda/publisher/ffmpeg/profile.ts';
import type { MediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { fastEncoder } from '../../support/media-samples.ts';
import { flvOf } from './checking-ingest.ts';
import type { CheckingIngest } from './checking-ingest.ts';
import { format } from './prepared-clips.ts';

const run = promisify(execFile);

/** The left channel as a viewer hears it, from -1 to 1. */
export async function heardOf(tools: MediaTools, ingest: CheckingIngest): Promise<Float32Array> {
  const path = join(tmpdir(), `heard-${crypto.randomUUID()}.flv`);
  await writeFile(path, flvOf(ingest));
  const heard = await heardOfFile(tools, path);
  await rm(path);
  return heard;
}

/** The left channel of a file, from -1 to 1. */
export async function heardOfFile({ ffmpegPath }: MediaTools, path: string): Promise<Float32Array> {
  const decoding = ['-v', 'error', '-i', path, '-map', '0:a', '-af', 'pan=mono|c0=c0', '-f', 'f32le', '-'];
  const { stdout } = await run(ffmpegPath, decoding, { encoding: 'buffer', maxBuffer: 1024 ** 3 });
  return new Float32Array(stdout.buffer, stdout.byteOffset, Math.floor(stdout.length / 4));
}

interface EncodedTracks {
  readonly video: readonly TimelineEntry[];
  readonly audio: readonly TimelineEntry[];
  readonly pathOf: (objectKey: string) => string;
}

/** Opens the ffmpeg backend from a frame on. */
export function openEncoded(
  tools: MediaTools,
  { video, audio, pathOf }: EncodedTracks,
  startFrame: number,
): Promise<FrameSource> {
  return openFrames(
    {
      tools,
      profile: profileOf(format),
      encoder: () => fastEncoder,
      loadTimelines: async () => ({ video, audio }),
      urlOf: async (objectKey) => pathOf(objectKey),
      captionsOf: async () => null,
      anchoredAtMs: async () => 0,
      log: () => {},
      signal: new AbortController().signal,
    },
    startFrame,
  );
}

/** The left channel that the ffmpeg backend passes to its encoder of sound. */
export async function heardEncoded(
  tools: MediaTools,
  tracks: EncodedTracks,
  { seconds, startFrame = 0 }: { readonly seconds: number; readonly startFrame?: number },
): Promise<Float32Array> {
  const source = await openEncoded(tools, tracks, startFrame);
  const samples: Buffer[] = [];
  const frames = seconds * profileOf(format).framesPerSecond;
  for (let frame = 0; frame < frames; frame++) samples.push((await source.next()).samples);
  await source.close();
  const bytes = Buffer.concat(samples);
  return Float32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readInt16LE(at * 4) / 32_768);
}

export function largestStep(samples: Float32Array): number {
  let largest = 0;
  for (let at = 1; at < samples.length; at++) largest = Math.max(largest, Math.abs(samples[at]! - samples[at - 1]!));
  return largest;
}

/** The power of each stretch of this many seconds, in dB relative to a tone of an amplitude. */
export function powersOf(samples: Float32Array, seconds: number, amplitude: number): number[] {
  const size = Math.round(audioFormat.sampleRate * seconds);
  return Array.from({ length: Math.floor(samples.length / size) }, (_, index) => {
    const part = samples.subarray(index * size, (index + 1) * size);
    const power = part.reduce((sum, sample) => sum + sample * sample, 0) / size;
    return 10 * Math.log10(power / (amplitude ** 2 / 2));
  });
}

/** Level below which sound is hardly audible, in dB. */
export const silentDB = -60;

/** The level of a tone in each tenth of a second, in dB relative to a tone of an amplitude. */
export function levelsOf(
  samples: Float32Array,
  { hertz, amplitude }: { readonly hertz: number; readonly amplitude: number },
): number[] {
  const size = audioFormat.sampleRate / 10;
  return Array.from({ length: Math.floor(samples.length / size) }, (_, index) => {
    let [sine, cosine] = [0, 0];
    for (let at = index * size; at < (index + 1) * size; at++) {
      const angle = (2 * Math.PI * hertz * at) / audioFormat.sampleRate;
      sine += samples[at]! * Math.sin(angle);
      cosine += samples[at]! * Math.cos(angle);
    }
    return Math.max(silentDB, 20 * Math.log10((2 * Math.hypot(sine, cosine)) / size / amplitude));
  });
}

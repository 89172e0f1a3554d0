// Sounds of all loudnesses, and ffmpeg's own measurement of the results.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { progressOf } from '../../lambda/publisher/inspecting/inspector.ts';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';
import type { Loudness } from '../../lambda/domain/playout/loudness.ts';
import { madeSample } from './media-samples.ts';

const run = promisify(execFile);

/** A film of this many seconds with noise and beats, amplified by a gain, and clipped if that is too much. */
export function loudFilm(gainDB: number, seconds: number): Promise<string> {
  const beats = `0.25*sin(2*PI*60*t)*exp(-20*mod(t,0.5))`;
  const sound = `[1][2]amix=normalize=0,volume=${gainDB}dB,alimiter=limit=1:level=0,pan=stereo|c0=c0|c1=c0`;
  const recipe = [
    ['-f', 'lavfi', '-i', `testsrc2=s=320x180:r=30:d=${seconds}`],
    ['-f', 'lavfi', '-i', `anoisesrc=c=pink:r=48000:a=0.3:d=${seconds}:seed=${Math.abs(gainDB)}`],
    ['-f', 'lavfi', '-i', `aevalsrc='${beats}':s=48000:d=${seconds}`],
    ['-filter_complex', sound, '-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'pcm_s16le'],
  ];
  return madeSample(`loud${gainDB}.mov`, recipe.flat());
}

/** The loudness of a file as the inspector measures it. */
export async function inspectedLoudness(tools: MediaTools, sourceURL: string, seconds: number): Promise<Loudness> {
  const upload = {
    duration_seconds: seconds,
    video_codec: 'h264',
    audio_codec: 'aac',
    dynamic_range: 'sdr',
    framerate: 30,
    width: 320,
    height: 180,
    size_bytes: null,
  } as const;
  const source = { tools, sourceURL, signal: new AbortController().signal };
  const times = { usualMs: 100_000, longestMs: 100_000 };
  return (await progressOf({ measurements: null }, upload, source, times)).loudness!;
}

/** ffmpeg's measurement of a stretch of a file. @param input its arguments up to the name of the file */
export async function measuredLoudness(
  { ffmpegPath }: MediaTools,
  input: readonly string[],
  fromSeconds: number,
  seconds: number,
): Promise<{ lufs: number; peakDBTP: number }> {
  const range = `atrim=start=${fromSeconds}:duration=${seconds},asetpts=PTS-STARTPTS`;
  const measure = ['-map', '0:a', '-af', `${range},ebur128=peak=true`, '-f', 'null', '-'];
  const { stderr } = await run(ffmpegPath, ['-hide_banner', '-nostats', ...input, ...measure], {
    maxBuffer: 1024 ** 2,
  });
  const summary = stderr.slice(stderr.lastIndexOf('Summary:'));
  return { lufs: Number(/I: +(\S+) LUFS/.exec(summary)![1]), peakDBTP: Number(/Peak: +(\S+) dBFS/.exec(summary)![1]) };
}

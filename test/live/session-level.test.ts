// The sound of a session comes to the loudness of its stream, without steps, clipped peaks or loud pauses.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SessionLevel } from '../../lambda/live/session-level.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { measuredLoudness } from '../support/loudness.ts';

const rate = 48_000;
const targetLUFS = -14;
const tools = await findMediaTools(process.env);

/** Stereo samples of a function of time, up to 1. */
function samplesOf(seconds: number, at: (seconds: number) => number): Buffer {
  const samples = Buffer.alloc(seconds * rate * 4);
  for (let index = 0; index < seconds * rate; index++) {
    const value = Math.round(32_767 * at(index / rate));
    samples.writeInt16LE(value, 4 * index);
    samples.writeInt16LE(value, 4 * index + 2);
  }
  return samples;
}
/** A tone of 1 kHz with its peaks at so many dB: in stereo, that is also its loudness in LUFS. */
const tone = (dB: number) => (seconds: number) => 10 ** (dB / 20) * Math.sin(2 * Math.PI * 1000 * seconds);

/** Levels samples in pieces of a size that no block is a multiple of. */
function levelled(samples: Buffer): Buffer {
  const level = new SessionLevel(targetLUFS);
  const copy = Buffer.from(samples);
  for (let at = 0; at < copy.length; at += 4 * 1111) level.apply(copy.subarray(at, at + 4 * 1111));
  return copy;
}
/** The peak between two times, in dB. */
function peakOf(samples: Buffer, fromSeconds: number, toSeconds: number): number {
  let peak = 0;
  for (let at = Math.round(fromSeconds * rate) * 4; at < Math.round(toSeconds * rate) * 4; at += 2)
    peak = Math.max(peak, Math.abs(samples.readInt16LE(at)));
  return 20 * Math.log10(peak / 32_768);
}
/** The loudness that ffmpeg measures from a time on until 8 s, in LUFS. */
async function loudnessOf(samples: Buffer, fromSeconds: number): Promise<number> {
  const file = join(await mkdtemp(join(tmpdir(), 'level-')), 'sound.raw');
  onTestFinished(() => rm(dirname(file), { recursive: true }));
  await writeFile(file, samples);
  const input = ['-f', 's16le', '-ar', String(rate), '-ac', '2', '-i', file];
  return (await measuredLoudness(tools, input, fromSeconds, 8 - fromSeconds)).lufs;
}

describe('the sound of a session', () => {
  it.each([
    ['quiet', -26],
    ['loud', -3],
    ['right', -14],
  ])('that is %s has the loudness of the stream within 1 LU', async (_, dB) => {
    expect(Math.abs((await loudnessOf(levelled(samplesOf(8, tone(dB))), 2)) - targetLUFS)).toBeLessThan(1);
  });

  it('that is nearly silent becomes at most 15 dB louder', () => {
    expect(peakOf(levelled(samplesOf(8, tone(-45))), 2, 8)).toBeCloseTo(-30, 0);
  });

  it('follows a contributor who turns up, by 3 dB a second, without a step', () => {
    const sound = levelled(samplesOf(24, (seconds) => tone(seconds < 8 ? -26 : -8)(seconds)));
    const peaks = Array.from({ length: 240 }, (_, index) => peakOf(sound, index / 10, (index + 1) / 10));
    const steps = peaks.slice(82).map((peak, index) => Math.abs(peak - peaks[81 + index]!));
    expect(Math.max(...steps)).toBeLessThan(0.5);
    expect(peakOf(sound, 22, 24)).toBeCloseTo(targetLUFS, 0);
  });

  it('has pauses whose noise is no louder than before', () => {
    const speech = (seconds: number) => tone(seconds % 4 < 2 ? -26 : -60)(seconds);
    const sound = levelled(samplesOf(24, speech));
    expect(peakOf(sound, 22.2, 23.9)).toBeCloseTo(-48, 0);
  });

  it('has no peak above the ceiling, and is not bent elsewhere', async () => {
    const burst = (seconds: number) => tone(seconds > 6 && seconds < 6.05 ? 0 : -26)(seconds);
    const sound = levelled(samplesOf(10, burst));
    expect(peakOf(sound, 0, 10)).toBeLessThanOrEqual(-2.5);
    expect(Math.abs(peakOf(sound, 6.3, 8) - targetLUFS)).toBeLessThan(1);
  });
});

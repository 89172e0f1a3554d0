// The sound of a video under the sound track: at its level, lower under speech, and never above the peak limit.
import { describe, expect, it } from 'vitest';
import { highestPeakDBTP } from '../../../lambda/domain/playout/sound.ts';
import { bytesOf, samplesOf } from '../../../lambda/publisher/ffmpeg/composed-samples.ts';
import { audioFormat } from '../../../lambda/publisher/ffmpeg/profile.ts';
import { UnderMixer } from '../../../lambda/publisher/ffmpeg/sound-under.ts';

const { sampleRate } = audioFormat;
const seconds = 4;

/** A tone in both channels. @param isOn by the second */
function tone(hertz: number, amplitude: number, isOn: (second: number) => boolean = () => true): Buffer {
  const samples = new Int16Array(seconds * sampleRate * 2);
  for (let at = 0; at < samples.length; at++) {
    const second = Math.floor(at / 2) / sampleRate;
    if (isOn(second)) samples[at] = Math.round(amplitude * 32_767 * Math.sin(2 * Math.PI * hertz * second));
  }
  return bytesOf(samples);
}

/** Mixes picture by picture, as a stream does. */
function mixed(over: Buffer, under: Buffer, settings: { readonly gainDB: number; readonly duck: boolean }): Int16Array {
  const mixer = new UnderMixer();
  const size = (sampleRate / 30) * audioFormat.bytesPerSample;
  const parts: Buffer[] = [];
  for (let at = 0; at < over.length; at += size)
    parts.push(mixer.mix(over.subarray(at, at + size), under.subarray(at, at + size), settings));
  return samplesOf(Buffer.concat(parts));
}

/** Level of a frequency in the sound between two times in seconds, in dB of full scale. */
function levelOf(samples: Int16Array, hertz: number, from: number, to: number): number {
  let [sine, cosine] = [0, 0];
  const first = Math.round(from * sampleRate);
  const count = Math.round(to * sampleRate) - first;
  for (let index = 0; index < count; index++) {
    const angle = (2 * Math.PI * hertz * index) / sampleRate;
    const value = samples[(first + index) * 2]! / 32_768;
    sine += value * Math.sin(angle);
    cosine += value * Math.cos(angle);
  }
  return 20 * Math.log10((2 * Math.hypot(sine, cosine)) / count);
}

const full = 20 * Math.log10(0.5);

describe('the sound of a video', () => {
  it('is heard under the track at its level, without a change of the track', () => {
    const samples = mixed(tone(1000, 0.5), tone(5000, 0.5), { gainDB: -12, duck: false });
    expect(levelOf(samples, 5000, 1, 3)).toBeCloseTo(full - 12, 1);
    expect(levelOf(samples, 1000, 1, 3)).toBeCloseTo(full, 1);
  });

  it('gives way to speech, and comes back', () => {
    const speech = tone(500, 0.3, (second) => second >= 1 && second < 2);
    const samples = mixed(speech, tone(5000, 0.5), { gainDB: -12, duck: true });
    expect(levelOf(samples, 5000, 0, 1)).toBeCloseTo(full - 12, 1);
    expect(levelOf(samples, 5000, 1.5, 2)).toBeCloseTo(full - 24, 0);
    expect(levelOf(samples, 5000, 3.8, 4)).toBeCloseTo(full - 12, 0);
  });

  it('does not give way to what is far from speech', () => {
    const samples = mixed(tone(30, 0.02), tone(5000, 0.5), { gainDB: -12, duck: true });
    expect(levelOf(samples, 5000, 1, 3)).toBeCloseTo(full - 12, 1);
  });

  it('never adds up to more than peaks may have', () => {
    const samples = mixed(tone(1000, 0.7), tone(1000, 0.7), { gainDB: 0, duck: false });
    const highest = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
    expect(20 * Math.log10(highest / 32_768)).toBeLessThan(highestPeakDBTP + 0.01);
  });
});

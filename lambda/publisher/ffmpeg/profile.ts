// What a stream of a quality and framerate is on the wire: one table for every encoder.
import { framesPerSecond, videoBitrateKbps } from '../../domain/video-format.ts';
import type { Framerate, Quality } from '../../domain/video-format.ts';

/** Everything that the encoded pictures of a stream have in common. */
export interface Profile {
  readonly width: number;
  readonly height: number;
  /** A whole number that divides 48,000, so that a frame has a whole number of audio samples. */
  readonly framesPerSecond: number;
  readonly samplesPerFrame: number;
  /** A closed GOP of exactly 2 s: what every ingest recommends. */
  readonly gopFrames: number;
  readonly videoBitrateKbps: number;
  /** H.264 level, forced so that the parameter sets do not depend on the content. */
  readonly level: string;
}

/** The sound of every stream: AAC-LC stereo, which every ingest takes at this rate. */
export const audioFormat = {
  sampleRate: 48_000,
  channels: 2,
  /** One sample of both channels, signed 16 bit little endian. */
  bytesPerSample: 4,
  samplesPerAacFrame: 1024,
  bitrateKbps: 160,
} as const;

const gopSeconds = 2;

interface Rung {
  readonly width: number;
  readonly height: number;
  /** H.264 Annex A, table A-1: the lowest level with room for the size and rate. */
  readonly level: string;
  readonly level60: string;
}

const ladder: Record<Quality, Rung> = {
  q_720p: { width: 1280, height: 720, level: '3.1', level60: '3.2' },
  q_1080p: { width: 1920, height: 1080, level: '4.0', level60: '4.2' },
  q_1440p: { width: 2560, height: 1440, level: '5.0', level60: '5.1' },
  q_2160p: { width: 3840, height: 2160, level: '5.1', level60: '5.2' },
};

export function profileOf(quality: Quality, framerate: Framerate): Profile {
  const rung = ladder[quality];
  const rate = framesPerSecond[framerate];
  return {
    width: rung.width,
    height: rung.height,
    framesPerSecond: rate,
    samplesPerFrame: audioFormat.sampleRate / rate,
    gopFrames: rate * gopSeconds,
    videoBitrateKbps: videoBitrateKbps(quality, framerate),
    level: rate > 30 ? rung.level60 : rung.level,
  };
}

// What a stream of a quality and framerate is on the wire: one table for every encoder.
import { framesPerSecond } from '../../domain/video-format.ts';
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
  readonly videoBitrateKbps: number;
  readonly videoBitrateKbps60: number;
  /** H.264 Annex A, table A-1: the lowest level with room for the size and rate. */
  readonly level: string;
  readonly level60: string;
}

/** Bitrates: what YouTube, Twitch, Facebook and Kick take together up to 1080p30; above that YouTube's recommendation (9000 at 1080p60: Facebook's maximum). */
const ladder: Record<Quality, Rung> = {
  q_720p: { width: 1280, height: 720, videoBitrateKbps: 4000, videoBitrateKbps60: 6000, level: '3.1', level60: '3.2' },
  q_1080p: { width: 1920, height: 1080, videoBitrateKbps: 6000, videoBitrateKbps60: 9000, level: '4.0', level60: '4.2' },
  q_1440p: { width: 2560, height: 1440, videoBitrateKbps: 15_000, videoBitrateKbps60: 24_000, level: '5.0', level60: '5.1' },
  q_2160p: { width: 3840, height: 2160, videoBitrateKbps: 30_000, videoBitrateKbps60: 35_000, level: '5.1', level60: '5.2' },
};

export function profileOf(quality: Quality, framerate: Framerate): Profile {
  const rung = ladder[quality];
  const rate = framesPerSecond[framerate];
  const fast = rate > 30;
  return {
    width: rung.width,
    height: rung.height,
    framesPerSecond: rate,
    samplesPerFrame: audioFormat.sampleRate / rate,
    gopFrames: rate * gopSeconds,
    videoBitrateKbps: fast ? rung.videoBitrateKbps60 : rung.videoBitrateKbps,
    level: fast ? rung.level60 : rung.level,
  };
}

// The encoding parameters of each quality, framerate and codec: one table for every encoder.
import { gopSeconds } from '../../domain/playout/rendition.ts';
import type { PictureFormat } from '../../domain/playout/rendition.ts';
import { framesPerSecond, soundBitrateKbps, videoBitrateKbps } from '../../domain/shared/video-format.ts';
import type { Quality, VideoCodec } from '../../domain/shared/video-format.ts';

/** The properties that all encoded pictures of a stream share. */
export interface Profile {
  readonly videoCodec: VideoCodec;
  readonly width: number;
  readonly height: number;
  /** A whole number that divides 48,000, so that a frame has a whole number of audio samples. */
  readonly framesPerSecond: number;
  readonly samplesPerFrame: number;
  /** Frames of a closed GOP of exactly 2 s, which every ingest recommends. */
  readonly gopFrames: number;
  readonly videoBitrateKbps: number;
  /**
   * The codec's level, which is set so that the parameter sets do not depend on the content. Null for AV1, whose
   * encoders choose it by size and rate alone.
   */
  readonly level: string | null;
  /**
   * Frames between the decoding and the display of a picture: 1, as B-frames are never references; 0 for AV1, whose
   * units are shown in decoding order.
   */
  readonly compositionDelayFrames: 0 | 1;
}

/** The sound of every stream: AAC-LC stereo, which every ingest accepts at this rate. */
export const audioFormat = {
  sampleRate: 48_000,
  channels: 2,
  /** One sample of both channels, signed 16 bit little endian. */
  bytesPerSample: 4,
  samplesPerAacFrame: 1024,
  bitrateKbps: soundBitrateKbps,
} as const;

/** The lowest level that allows a size at up to 30 frames per second, and the lowest that allows it at 60. */
type Levels = readonly [string, string];

interface Rung {
  readonly width: number;
  readonly height: number;
  /** From table A-1 of H.264, annex A. */
  readonly h264: Levels;
  /** From tables A.8 and A.9 of HEVC, annex A, main tier. */
  readonly hevc: Levels;
}

const ladder: Record<Quality, Rung> = {
  q_720p: { width: 1280, height: 720, h264: ['3.1', '3.2'], hevc: ['3.1', '4.0'] },
  q_1080p: { width: 1920, height: 1080, h264: ['4.0', '4.2'], hevc: ['4.0', '4.1'] },
  q_1440p: { width: 2560, height: 1440, h264: ['5.0', '5.1'], hevc: ['5.0', '5.0'] },
  q_2160p: { width: 3840, height: 2160, h264: ['5.1', '5.2'], hevc: ['5.0', '5.1'] },
};

/** The size of a picture. Its shorter side is that of the quality in every aspect. */
function sizeOf({ width, height }: Rung, aspect: PictureFormat['aspect']): Pick<Profile, 'width' | 'height'> {
  if (aspect === undefined) return { width, height };
  return { width: height, height: aspect === '9:16' ? width : height };
}

export function profileOf({ quality, framerate, videoCodec, aspect }: PictureFormat): Profile {
  const rung = ladder[quality];
  const rate = framesPerSecond[framerate];
  return {
    videoCodec,
    ...sizeOf(rung, aspect),
    framesPerSecond: rate,
    samplesPerFrame: audioFormat.sampleRate / rate,
    gopFrames: rate * gopSeconds,
    videoBitrateKbps: videoBitrateKbps(quality, framerate, videoCodec),
    level: videoCodec === 'av1' ? null : rung[videoCodec][rate > 30 ? 1 : 0],
    compositionDelayFrames: videoCodec === 'av1' ? 0 : 1,
  };
}

/** Bytes of one second of pictures. */
export function bytesPerSecondOf({ videoBitrateKbps: kbps }: Profile): number {
  return (kbps * 1000) / 8;
}

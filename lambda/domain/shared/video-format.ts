// Qualities, framerates, codecs and bitrates of streams.

export const qualities = ['q_720p', 'q_1080p', 'q_1440p', 'q_2160p'] as const;
export type Quality = (typeof qualities)[number];

export const framerates = ['f_24', 'f_25', 'f_30', 'f_60'] as const;
export type Framerate = (typeof framerates)[number];

export const framesPerSecond: Record<Framerate, number> = { f_24: 24, f_25: 25, f_30: 30, f_60: 60 };

/** Every ingest takes H.264. The others need an ingest with Enhanced RTMP, and the prepared backend. */
export const videoCodecs = ['h264', 'hevc', 'av1'] as const;
export type VideoCodec = (typeof videoCodecs)[number];

/** The codecs that an MPEG transport stream carries. Servers have not agreed on a way to carry AV1 in one. */
export const transportStreamCodecs: readonly [VideoCodec, ...VideoCodec[]] = ['h264', 'hevc'];

/**
 * Coding of light in pictures: BT.709 and similar (SDR), or BT.2100 by perceptual quantizer (PQ) or hybrid log-gamma
 * (HLG).
 */
export const dynamicRanges = ['sdr', 'pq', 'hlg'] as const;
export type DynamicRange = (typeof dynamicRanges)[number];

/**
 * Bitrates at up to 30 and at 60 frames per second. H.264 up to 1080p30: rates that YouTube, Twitch, Facebook and Kick
 * all take. H.264 above that: YouTube's recommendation (at 1080p60 Facebook's maximum, 9000). HEVC and AV1: about three
 * fifths of H.264, within YouTube's ranges.
 */
const h264BitratesKbps: Record<Quality, readonly [number, number]> = {
  q_720p: [4000, 6000],
  q_1080p: [6000, 9000],
  q_1440p: [15_000, 24_000],
  q_2160p: [30_000, 35_000],
};
const newerBitratesKbps: Record<Quality, readonly [number, number]> = {
  q_720p: [3000, 4000],
  q_1080p: [4000, 6000],
  q_1440p: [9000, 14_000],
  q_2160p: [18_000, 21_000],
};

/** Constant bitrate of the sound of each stream, in kbit/s. */
export const soundBitrateKbps = 160;

/** Constant bitrate of a stream's pictures, in kbit/s. */
export function videoBitrateKbps(quality: Quality, framerate: Framerate, videoCodec: VideoCodec): number {
  const bitrates = videoCodec === 'h264' ? h264BitratesKbps : newerBitratesKbps;
  return bitrates[quality][framesPerSecond[framerate] > 30 ? 1 : 0];
}

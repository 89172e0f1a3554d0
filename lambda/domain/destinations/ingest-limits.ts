// Limits of well-known platforms: codecs, qualities, bitrates, and the duration of a connection.
// A stream beyond the limits of its platform is refused before it starts. A connection is replaced before it lasts
// longer than the platform allows.
import type { PictureFormat } from '../playout/rendition.ts';
import type { PlatformName } from '../channels/managed-platforms.ts';
import { ways } from './ways/ways.ts';
import type { WayName } from './ways/ways.ts';
import { framerates, framesPerSecond, qualities, videoBitrateKbps } from '../shared/video-format.ts';
import type { Quality, VideoCodec } from '../shared/video-format.ts';

export const knownPlatforms = ['youtube', 'facebook', 'twitch', 'kick'] as const satisfies readonly (
  | PlatformName
  | 'facebook'
)[];
export type KnownPlatform = (typeof knownPlatforms)[number];

/** Limits of a platform's ingest. */
export interface IngestLimits {
  readonly name: KnownPlatform;
  /** Name of the platform, in its own spelling. */
  readonly platform: string;
  readonly hosts: RegExp;
  /** Codecs over RTMP. The first one is proposed for a stream of another codec. */
  readonly videoCodecs: readonly [VideoCodec, ...VideoCodec[]];
  readonly maxQuality: Quality;
  readonly maxVideoBitrateKbps: number;
  readonly maxFramesPerSecond: number;
  /** Limit of the time between two keyframes. */
  readonly maxKeyframeSeconds: number;
  /** Limit for AAC, which all platforms take; null if the platform publishes no maximum. */
  readonly maxAudioBitrateKbps: number | null;
  /** The platform ends a longer broadcast, or does not archive it. */
  readonly longestConnectionMs: number;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/**
 * Formats, from the platforms' pages for broadcasters:
 * - YouTube: help page 2853702, encoder settings. It takes HEVC and AV1 by Enhanced RTMP, although its pages for
 *   developers list H.264 alone.
 * - Facebook: Live Video API reference, H.264 level 4.2 and 9000 kbit/s at 1080p60.
 * - Twitch: broadcasting guidelines. Its maximum for everybody is 6000 kbit/s. Its Enhanced Broadcasting, which has
 *   HEVC, is not plain RTMP.
 * - Kick, whose ingest is Amazon IVS: IVS streaming configuration, H.264, 1080p and 8.5 Mbit/s.
 *
 * Durations: YouTube archives only what is shorter than 12 hours, and was seen to cut at 11:55. Facebook ends a live
 * video after 8 hours. Twitch ends a broadcast, and IVS a stream, after 48 hours.
 */
const ingests: readonly IngestLimits[] = [
  {
    name: 'youtube',
    platform: 'YouTube',
    hosts: /(?:^|\.)youtube\.com$/,
    videoCodecs: ['h264', 'hevc', 'av1'],
    maxQuality: 'q_2160p',
    maxVideoBitrateKbps: 40_000,
    maxFramesPerSecond: 60,
    maxKeyframeSeconds: 4,
    maxAudioBitrateKbps: null,
    longestConnectionMs: 11 * hourMs + 55 * minuteMs,
  },
  {
    name: 'facebook',
    platform: 'Facebook',
    hosts: /(?:^|\.)facebook\.com$/,
    videoCodecs: ['h264'],
    maxQuality: 'q_1080p',
    maxVideoBitrateKbps: 9000,
    maxFramesPerSecond: 60,
    maxKeyframeSeconds: 4,
    maxAudioBitrateKbps: 256,
    longestConnectionMs: 8 * hourMs,
  },
  {
    name: 'twitch',
    platform: 'Twitch',
    hosts: /(?:^|\.)twitch\.tv$|\.contribute\.live-video\.net$|^ingest\.global-contribute\.live-video\.net$/,
    videoCodecs: ['h264'],
    maxQuality: 'q_1080p',
    maxVideoBitrateKbps: 6000,
    maxFramesPerSecond: 60,
    maxKeyframeSeconds: 4,
    maxAudioBitrateKbps: 320,
    longestConnectionMs: 48 * hourMs,
  },
  {
    name: 'kick',
    platform: 'Kick',
    hosts: /^[0-9a-f]{12}\.global-contribute\.live-video\.net$/,
    videoCodecs: ['h264'],
    maxQuality: 'q_1080p',
    maxVideoBitrateKbps: 8500,
    maxFramesPerSecond: 60,
    maxKeyframeSeconds: 4,
    maxAudioBitrateKbps: 320,
    longestConnectionMs: 48 * hourMs,
  },
];

/**
 * Limit at every host. Timestamps of FLV are signed 32-bit milliseconds, which end after 24.8 days, and servers count
 * in them.
 */
const longestConnectionAnywhereMs = 20 * 24 * hourMs;
/** A connection is replaced at the latest when this share of its time is left: almost ten minutes of 8 hours. */
const leftOver = 0.02;
/** Connections opened together are replaced at random times within this share, so not together. */
const spread = 0.08;

/** The properties of a stream that a platform does not take, and the alternatives. */
export interface IngestExcess {
  readonly platform: string;
  /** All codecs that the platform takes, the best choice first; null if the stream's codec is one of them. */
  readonly videoCodecs: readonly [VideoCodec, ...VideoCodec[]] | null;
  /**
   * The highest quality that the platform takes at each framerate, in a codec that it takes. Null if it takes the
   * stream's own quality and framerate in that codec.
   */
  readonly taken: readonly Omit<PictureFormat, 'videoCodec'>[] | null;
}

/**
 * Checks a stream against the platform at a host, and against the way out.
 * @returns null if both take the stream. A host of no known platform takes every stream.
 */
export function excessOver(hostname: string, format: PictureFormat, way: WayName = 'rtmp'): IngestExcess | null {
  const limits = ingestLimitsAt(hostname, way);
  if (limits) return excessOf(limits, format);
  const { title, videoCodecs } = ways[way];
  if (videoCodecs === null || videoCodecs.includes(format.videoCodec)) return null;
  return { platform: title, videoCodecs, taken: null };
}

/** The limits of the platform at a host, over a way out; null for a host of no known platform. */
export function ingestLimitsAt(hostname: string, way: WayName = 'rtmp'): IngestLimits | null {
  const limits = ingests.find(({ hosts }) => hosts.test(hostname));
  const carried = ways[way].videoCodecs;
  if (!limits || carried === null) return limits ?? null;
  const videoCodecs = carried.filter((codec) => limits.videoCodecs.includes(codec));
  return { ...limits, videoCodecs: videoCodecs as [VideoCodec, ...VideoCodec[]] };
}

/** The limits of a platform over RTMP. */
export function ingestLimitsOf(name: KnownPlatform): IngestLimits {
  return ingests.find((limits) => limits.name === name)!;
}

/** Checks a stream against a platform over RTMP. @param name the platform's name in its own spelling */
export function excessOverPlatform(name: string, format: PictureFormat): IngestExcess | null {
  const limits = ingests.find(({ platform }) => platform === name);
  return limits ? excessOf(limits, format) : null;
}

function excessOf(limits: IngestLimits, format: PictureFormat): IngestExcess | null {
  const { platform, videoCodecs } = limits;
  const isCodecTaken = videoCodecs.includes(format.videoCodec);
  const videoCodec = isCodecTaken ? format.videoCodec : videoCodecs[0];
  const isTooMuch = !hasRoomFor(limits, { ...format, videoCodec });
  if (isCodecTaken && !isTooMuch) return null;
  const fastestFirst = framerates.toSorted((a, b) => framesPerSecond[b] - framesPerSecond[a]);
  const taken = fastestFirst.flatMap((framerate) => {
    const quality = qualities.findLast((candidate) =>
      hasRoomFor(limits, { quality: candidate, framerate, videoCodec }),
    );
    return quality === undefined ? [] : [{ quality, framerate }];
  });
  return { platform, videoCodecs: isCodecTaken ? null : videoCodecs, taken: isTooMuch ? taken : null };
}

/**
 * Time after which a connection to a host is replaced by a new one, in milliseconds.
 * @param random uniform in [0, 1)
 */
export function connectionEndsAfterMs(hostname: string, random: number, way: WayName = 'rtmp'): number {
  const longestMs = Math.min(
    longestConnectionAnywhereMs,
    ways[way].longestConnectionMs,
    ingestLimitsAt(hostname)?.longestConnectionMs ?? Infinity,
  );
  return longestMs * (1 - leftOver - spread * random);
}

function hasRoomFor(
  { maxQuality, maxVideoBitrateKbps }: IngestLimits,
  { quality, framerate, videoCodec }: PictureFormat,
): boolean {
  return (
    qualities.indexOf(quality) <= qualities.indexOf(maxQuality) &&
    videoBitrateKbps(quality, framerate, videoCodec) <= maxVideoBitrateKbps
  );
}

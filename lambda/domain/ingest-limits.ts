// What well-known platforms take: what is too much for one is refused before it starts, and what lasts too long is replaced, not by the platform.
import type { PictureFormat } from './rendition.ts';
import { framerates, framesPerSecond, qualities, videoBitrateKbps } from './video-format.ts';
import type { Quality, VideoCodec } from './video-format.ts';

interface IngestLimits {
  readonly platform: string;
  readonly hosts: RegExp;
  /** That it takes over RTMP; the first is for streams whose own is none of them. */
  readonly videoCodecs: readonly [VideoCodec, ...VideoCodec[]];
  readonly maxQuality: Quality;
  readonly maxVideoBitrateKbps: number;
  /** A broadcast that lasts longer is ended, or not kept. */
  readonly longestConnectionMs: number;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/**
 * As their pages for broadcasters say. YouTube: help page 2853702, encoder settings, with HEVC and AV1 by Enhanced RTMP (its pages for developers
 * list H.264 alone). Facebook: Live Video API reference, H.264 level 4.2 and 9000 kbit/s at 1080p60. Twitch: broadcasting guidelines; its maximum
 * for everybody is 6000 kbit/s, and its Enhanced Broadcasting, which has HEVC, is not plain RTMP. Amazon IVS, which is Kick's ingest: streaming
 * configuration, H.264, 1080p and 8.5 Mbit/s.
 *
 * How long: YouTube archives only what is shorter than 12 hours, and was seen to cut at 11:55; Facebook ends a live video after 8 hours; Twitch
 * ends a broadcast, and IVS a stream, after 48.
 */
const ingests: readonly IngestLimits[] = [
  {
    platform: 'YouTube',
    hosts: /(?:^|\.)youtube\.com$/,
    videoCodecs: ['h264', 'hevc', 'av1'],
    maxQuality: 'q_2160p',
    maxVideoBitrateKbps: 40_000,
    longestConnectionMs: 11 * hourMs + 55 * minuteMs,
  },
  {
    platform: 'Facebook',
    hosts: /(?:^|\.)facebook\.com$/,
    videoCodecs: ['h264'],
    maxQuality: 'q_1080p',
    maxVideoBitrateKbps: 9000,
    longestConnectionMs: 8 * hourMs,
  },
  {
    platform: 'Twitch',
    hosts: /(?:^|\.)twitch\.tv$|\.contribute\.live-video\.net$|^ingest\.global-contribute\.live-video\.net$/,
    videoCodecs: ['h264'],
    maxQuality: 'q_1080p',
    maxVideoBitrateKbps: 6000,
    longestConnectionMs: 48 * hourMs,
  },
  {
    platform: 'Kick',
    hosts: /^[0-9a-f]{12}\.global-contribute\.live-video\.net$/,
    videoCodecs: ['h264'],
    maxQuality: 'q_1080p',
    maxVideoBitrateKbps: 8500,
    longestConnectionMs: 48 * hourMs,
  },
];

/** Elsewhere: FLV's timestamps are signed 32-bit milliseconds, 24.8 days, and servers of others count in them. */
const longestConnectionAnywhereMs = 20 * 24 * hourMs;
/** What is left of its time when a connection is replaced: of 8 hours ten minutes at least. */
const leftOver = 0.02;
/** The streams of an agent that began together are replaced one after the other, over so much of the time. */
const spread = 0.08;

/** A platform that does not take a stream, and what it takes instead. */
export interface IngestExcess {
  readonly platform: string;
  /** All that it takes, the one to choose first; null where the stream's is one of them. */
  readonly videoCodecs: readonly [VideoCodec, ...VideoCodec[]] | null;
  /** For each framerate the highest quality, in a codec that it takes; null where those of the stream are not too much in that. */
  readonly taken: readonly Omit<PictureFormat, 'videoCodec'>[] | null;
}

/** @returns null where the platform takes such a stream, or where we do not know it */
export function excessOver(hostname: string, format: PictureFormat): IngestExcess | null {
  const limits = ingestAt(hostname);
  if (!limits) return null;
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
 * How long after its beginning a connection to a host is replaced by another one, in milliseconds.
 * @param random uniform in [0, 1)
 */
export function connectionEndsAfterMs(hostname: string, random: number): number {
  const longestMs = ingestAt(hostname)?.longestConnectionMs ?? longestConnectionAnywhereMs;
  return longestMs * (1 - leftOver - spread * random);
}

function ingestAt(hostname: string): IngestLimits | undefined {
  return ingests.find(({ hosts }) => hosts.test(hostname));
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

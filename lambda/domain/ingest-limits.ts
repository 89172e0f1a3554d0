// What well-known platforms take: a stream that is too much for its destination is refused before it starts, not by the platform.
import { framerates, framesPerSecond, qualities, videoBitrateKbps } from './video-format.ts';
import type { Framerate, Quality } from './video-format.ts';

interface IngestLimits {
  readonly platform: string;
  readonly hosts: RegExp;
  readonly maxQuality: Quality;
  readonly maxVideoBitrateKbps: number;
}

/**
 * As their pages for broadcasters say. YouTube: help page 2853702, encoder settings. Facebook: Live Video API reference, H.264 level 4.2 and
 * 9000 kbit/s at 1080p60. Twitch: broadcasting guidelines; its maximum for everybody is 6000 kbit/s. Amazon IVS, which is Kick's ingest:
 * streaming configuration, 1080p and 8.5 Mbit/s.
 */
const ingests: readonly IngestLimits[] = [
  { platform: 'YouTube', hosts: /(?:^|\.)youtube\.com$/, maxQuality: 'q_2160p', maxVideoBitrateKbps: 40_000 },
  { platform: 'Facebook', hosts: /(?:^|\.)facebook\.com$/, maxQuality: 'q_1080p', maxVideoBitrateKbps: 9000 },
  {
    platform: 'Twitch',
    hosts: /(?:^|\.)twitch\.tv$|\.contribute\.live-video\.net$|^ingest\.global-contribute\.live-video\.net$/,
    maxQuality: 'q_1080p',
    maxVideoBitrateKbps: 6000,
  },
  { platform: 'Kick', hosts: /^[0-9a-f]{12}\.global-contribute\.live-video\.net$/, maxQuality: 'q_1080p', maxVideoBitrateKbps: 8500 },
];

/** A platform that does not take a stream, and what it takes instead: for each framerate the highest quality. */
export interface IngestExcess {
  readonly platform: string;
  readonly taken: readonly { readonly quality: Quality; readonly framerate: Framerate }[];
}

/** @returns null where the platform takes such a stream, or where we do not know it */
export function excessOver(hostname: string, quality: Quality, framerate: Framerate): IngestExcess | null {
  const limits = ingests.find(({ hosts }) => hosts.test(hostname));
  if (!limits || takes(limits, quality, framerate)) return null;
  const fastestFirst = framerates.toSorted((a, b) => framesPerSecond[b] - framesPerSecond[a]);
  const taken = fastestFirst.flatMap((rate) => {
    const best = qualities.findLast((candidate) => takes(limits, candidate, rate));
    return best === undefined ? [] : [{ quality: best, framerate: rate }];
  });
  return { platform: limits.platform, taken };
}

function takes({ maxQuality, maxVideoBitrateKbps }: IngestLimits, quality: Quality, framerate: Framerate): boolean {
  return qualities.indexOf(quality) <= qualities.indexOf(maxQuality) && videoBitrateKbps(quality, framerate) <= maxVideoBitrateKbps;
}

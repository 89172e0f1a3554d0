// Where one connection publishes to, by its way out.
import { parsePublishURL } from '../../domain/destinations/publish-url.ts';
import type { PublishURL } from '../../domain/destinations/publish-url.ts';
import type { HlsTarget } from '../hls/hls-publisher.ts';
import type { RtmpTarget } from '../rtmp/rtmp-client.ts';
import type { SrtTarget } from '../srt/srt-publisher.ts';

export type PublishTarget = RtmpTarget | SrtTarget | HlsTarget;

/** What a destination wants to be told, besides its address. */
export interface DestinationSecrets {
  readonly streamKey: string;
  /** Null where it is no listener of SRT. */
  readonly srt: Omit<SrtTarget, 'srtURL'> | null;
}

export function targetAt(url: string, { streamKey, srt }: DestinationSecrets): PublishTarget {
  const way = parsePublishURL(url)?.way;
  if (way === 'srt' && srt) return { srtURL: url, ...srt };
  return way === 'hls' ? { hlsURL: url, streamKey } : { rtmpURL: url, streamKey };
}

/** The server of a target, in whose turn the connection is made. */
export function serverOf(target: PublishTarget): PublishURL {
  if ('srtURL' in target) return parsePublishURL(target.srtURL)!;
  return parsePublishURL('hlsURL' in target ? target.hlsURL : target.rtmpURL)!;
}

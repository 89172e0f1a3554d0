// The ways out that this process can connect over, by their names.
import { parsePublishURL } from '../../domain/destinations/publish-url.ts';
import type { PublishURL } from '../../domain/destinations/publish-url.ts';
import { wayNameOf } from '../../domain/destinations/ways/ways.ts';
import type { WayName } from '../../domain/destinations/ways/ways.ts';
import type { HlsTarget } from '../hls/hls-publisher.ts';
import { hlsWay } from '../hls/way.ts';
import type { RtmpTarget } from '../rtmp/rtmp-client.ts';
import { rtmpWay } from '../rtmp/way.ts';
import type { SrtTarget } from '../srt/srt-publisher.ts';
import { srtWay } from '../srt/way.ts';
import type { DestinationSecrets, PublishingWay } from './publishing-way.ts';

interface Targets {
  readonly rtmp: RtmpTarget;
  readonly srt: SrtTarget;
  readonly hls: HlsTarget;
}
type PublishingWays = { readonly [Name in WayName]: PublishingWay<Targets[Name]> };

export const publishingWays: PublishingWays = { rtmp: rtmpWay, srt: srtWay, hls: hlsWay };

/** The address and the secrets of one connection, told apart by `way`. */
export type PublishTarget<Name extends WayName = WayName> = {
  [Each in Name]: { readonly way: Each } & Targets[Each];
}[Name];

/** @throws {TypeError} for an address that streams cannot be published to */
export function targetAt(url: string, secrets: DestinationSecrets): PublishTarget {
  const way = wayNameOf(url);
  if (way === null) throw new TypeError('no way out has an address like this');
  return targetOf(way, url, secrets);
}

function targetOf<Name extends WayName>(way: Name, url: string, secrets: DestinationSecrets): PublishTarget<Name> {
  return { way, ...publishingWays[way].targetAt(url, secrets) };
}

/** The server of a target. */
export function serverOf({ url }: PublishTarget): PublishURL {
  return parsePublishURL(url)!;
}

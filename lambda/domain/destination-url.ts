// Which RTMP addresses a user may name, as far as the URL alone tells. Names are resolved, and checked again, only when connecting.
import { isHostAllowed } from './network-address.ts';
import { parseRtmpURL } from './rtmp-url.ts';

export type DestinationFault = 'malformed' | 'forbidden';

/** What is wrong with an rtmp:// or rtmps:// URL; null when it may be used. */
export function faultOfDestination(text: string, allowPrivateAddresses: boolean): DestinationFault | null {
  const url = parseRtmpURL(text);
  if (!url) return 'malformed';
  return isHostAllowed(url.hostname, allowPrivateAddresses) ? null : 'forbidden';
}

export function isDestinationAllowed(url: string, allowPrivateAddresses: boolean): boolean {
  return faultOfDestination(url, allowPrivateAddresses) === null;
}

// Which RTMP addresses a user may name, as far as the URL alone tells.
// The publisher resolves host names when it connects, and checks the addresses then.
import { isHostAllowed } from './network-address.ts';
import type { AddressRules } from './network-address.ts';
import { parseRtmpURL } from './rtmp-url.ts';

export type DestinationFault = 'malformed' | 'forbidden';

/** What is wrong with an rtmp:// or rtmps:// URL; null when it may be used. */
export function faultOfDestination(text: string, rules: AddressRules): DestinationFault | null {
  const url = parseRtmpURL(text);
  if (!url) return 'malformed';
  return isHostAllowed(url.hostname, rules) ? null : 'forbidden';
}

export function isDestinationAllowed(url: string, rules: AddressRules): boolean {
  return faultOfDestination(url, rules) === null;
}

// Which RTMP addresses a user may name, as far as the URL alone tells. Names are resolved, and checked again, only when connecting.
import { isIP } from 'node:net';
import { isAddressAllowed } from './network-address.ts';
import { parseRtmpURL } from './rtmp-url.ts';

export type DestinationFault = 'malformed' | 'forbidden';

/** What is wrong with an rtmp:// or rtmps:// URL; null when it may be used. */
export function faultOfDestination(text: string, allowPrivateAddresses: boolean): DestinationFault | null {
  const url = parseRtmpURL(text);
  if (!url) return 'malformed';
  const host = url.hostname;
  if (isIP(host)) return isAddressAllowed(host, allowPrivateAddresses) ? null : 'forbidden';
  const local = host === 'localhost' || host.endsWith('.localhost') || host.endsWith('.internal') || host.endsWith('.local');
  return local && !allowPrivateAddresses ? 'forbidden' : null;
}

export function isDestinationAllowed(url: string, allowPrivateAddresses: boolean): boolean {
  return faultOfDestination(url, allowPrivateAddresses) === null;
}

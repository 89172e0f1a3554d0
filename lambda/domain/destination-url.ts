// Which RTMP addresses a user may name, as far as the URL alone tells. Names are resolved, and checked again, only when connecting.
import { isIP } from 'node:net';
import { isAddressAllowed } from './network-address.ts';

export type DestinationFault = 'malformed' | 'forbidden';

/** What is wrong with an rtmp:// or rtmps:// URL; null when it may be used. */
export function faultOfDestination(text: string, allowPrivateAddresses: boolean): DestinationFault | null {
  if (!URL.canParse(text)) return 'malformed';
  const url = new URL(text);
  const rtmp = url.protocol === 'rtmp:' || url.protocol === 'rtmps:';
  if (!rtmp || url.hostname === '' || url.pathname.length < 2 || url.hash !== '' || url.username !== '' || url.password !== '') return 'malformed';
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (isIP(host)) return isAddressAllowed(host, allowPrivateAddresses) ? null : 'forbidden';
  const local = host === 'localhost' || host.endsWith('.localhost') || host.endsWith('.internal') || host.endsWith('.local');
  return local && !allowPrivateAddresses ? 'forbidden' : null;
}

export function isDestinationAllowed(url: string, allowPrivateAddresses: boolean): boolean {
  return faultOfDestination(url, allowPrivateAddresses) === null;
}

// Which RTMP addresses a user may name, as far as the URL alone tells. Names are resolved, and checked again, only when connecting.
import { isIP } from 'node:net';
import { isAddressAllowed } from './network-address.ts';

export type DestinationFault = 'malformed' | 'forbidden';

/** rtmp(s)://AUTHORITY/APPLICATION. Stricter than URL, which forgives white space: the publisher sends on what is written here. */
const destinationForm = /^rtmps?:\/\/(?<authority>(?:\[[0-9a-f:.]+\]|[^\s/:?#@[\]\\]+)(?::\d{1,5})?)\/+[^\s/?#][^\s#]*$/i;

/** What is wrong with an rtmp:// or rtmps:// URL; null when it may be used. */
export function faultOfDestination(text: string, allowPrivateAddresses: boolean): DestinationFault | null {
  const authority = destinationForm.exec(text)?.groups?.['authority'];
  // Only of http does URL know, as name lookup does, that 127.1 and 0x7f000001 are 127.0.0.1.
  if (authority === undefined || !URL.canParse(`http://${authority}`)) return 'malformed';
  const { hostname, port } = new URL(`http://${authority}`);
  const host = hostname.replace(/^\[|\]$|\.$/g, '');
  if (host === '' || port === '0') return 'malformed';
  if (isIP(host)) return isAddressAllowed(host, allowPrivateAddresses) ? null : 'forbidden';
  const local = host === 'localhost' || host.endsWith('.localhost') || host.endsWith('.internal') || host.endsWith('.local');
  return local && !allowPrivateAddresses ? 'forbidden' : null;
}

export function isDestinationAllowed(url: string, allowPrivateAddresses: boolean): boolean {
  return faultOfDestination(url, allowPrivateAddresses) === null;
}

// Which addresses of destinations a user may name, as far as the URL alone tells.
// The publisher resolves host names when it connects, and checks the addresses then.
import { isHostAllowed } from '../shared/network-address.ts';
import type { AddressRules } from '../shared/network-address.ts';
import { parsePublishURL } from './publish-url.ts';

export type DestinationFault = 'malformed' | 'forbidden';

/** What is wrong with the address of a destination; null when it may be used. */
export function faultOfDestination(text: string, rules: AddressRules): DestinationFault | null {
  const url = parsePublishURL(text);
  if (!url) return 'malformed';
  return isHostAllowed(url.hostname, rules) ? null : 'forbidden';
}

export function isDestinationAllowed(url: string, rules: AddressRules): boolean {
  return faultOfDestination(url, rules) === null;
}

// Checks the addresses of destinations that users give, as far as the URL alone allows.
// The publisher resolves host names when it connects, and checks network addresses then.
import { isHostAllowed } from '../shared/network-address.ts';
import type { AddressRules } from '../shared/network-address.ts';
import { parsePublishURL } from './publish-url.ts';

export type DestinationFault = 'malformed' | 'forbidden';

/** The fault of a destination's address; null if it may be used. */
export function faultOfDestination(text: string, rules: AddressRules): DestinationFault | null {
  const url = parsePublishURL(text);
  if (!url) return 'malformed';
  return isHostAllowed(url.hostname, rules) ? null : 'forbidden';
}

export function isDestinationAllowed(url: string, rules: AddressRules): boolean {
  return faultOfDestination(url, rules) === null;
}

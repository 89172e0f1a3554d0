// Addresses that a user may name as webhooks, as far as the URL alone decides.
// Host names are resolved, and their addresses checked, when an event is sent.
import { isHostAllowed } from '../shared/network-address.ts';
import type { AddressRules } from '../shared/network-address.ts';

export type WebhookURLFault = 'malformed' | 'forbidden';

/** Fault of a webhook's address; null if it may be called. http is allowed only together with private addresses. */
export function faultOfWebhookURL(text: string, rules: AddressRules): WebhookURLFault | null {
  const url = URL.parse(text);
  if (!url || url.username !== '' || url.password !== '') return 'malformed';
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'malformed';
  if (url.protocol === 'http:' && !rules.allowPrivateAddresses) return 'forbidden';
  return isHostAllowed(url.hostname.replace(/^\[(.*)\]$/, '$1'), rules) ? null : 'forbidden';
}

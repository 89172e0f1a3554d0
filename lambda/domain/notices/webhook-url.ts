// Which addresses a user may name as webhooks, as far as the URL alone tells.
// Host names are resolved when an event is sent, and their addresses are checked then.
import { isHostAllowed } from '../shared/network-address.ts';
import type { AddressRules } from '../shared/network-address.ts';

export type WebhookURLFault = 'malformed' | 'forbidden';

/**
 * What is wrong with the address of a webhook; null when it may be called. http:
 * only where private addresses are allowed.
 */
export function faultOfWebhookURL(text: string, rules: AddressRules): WebhookURLFault | null {
  const url = URL.parse(text);
  if (!url || url.username !== '' || url.password !== '') return 'malformed';
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'malformed';
  if (url.protocol === 'http:' && !rules.allowPrivateAddresses) return 'forbidden';
  return isHostAllowed(url.hostname.replace(/^\[(.*)\]$/, '$1'), rules) ? null : 'forbidden';
}

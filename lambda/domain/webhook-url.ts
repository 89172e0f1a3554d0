// Which addresses a user may have told, as far as the URL alone tells. Names are resolved, and checked again, only when connecting.
import { isHostAllowed } from './network-address.ts';

export type WebhookURLFault = 'malformed' | 'forbidden';

/** What is wrong with the address of a webhook; null when it may be called. Without TLS only where private addresses are allowed. */
export function faultOfWebhookURL(text: string, allowPrivateAddresses: boolean): WebhookURLFault | null {
  const url = URL.parse(text);
  if (!url || url.username !== '' || url.password !== '' || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    return 'malformed';
  if (url.protocol === 'http:' && !allowPrivateAddresses) return 'forbidden';
  return isHostAllowed(url.hostname.replace(/^\[(.*)\]$/, '$1'), allowPrivateAddresses) ? null : 'forbidden';
}

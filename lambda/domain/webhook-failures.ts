// Why an event did not reach a webhook, and why a webhook was disabled, in words for its user: what happened, and what to do.
import { attemptSeconds, retriedForDays } from './webhook-retries.ts';

const failures = {
  refused:
    'The address answered with another status than 2xx. Answer 2xx as soon as the event is stored, and work on it afterwards.',
  redirected: 'The address redirects, which is not followed. Register the address that it leads to.',
  gone: 'The address answered 410 Gone, so the webhook was disabled.',
  timed_out: `The address did not answer within ${attemptSeconds} seconds. Answer 2xx as soon as the event is stored, and work on it afterwards.`,
  unreachable:
    'The address cannot be reached, or broke the connection off. Check that it is up and open to the internet.',
  name_not_found: "The address' host is not known. Check the URL.",
  tls_failed: "The address' certificate is not valid. Use one that browsers accept.",
  protocol_error: 'The address does not answer in HTTP. Check the URL.',
  address_forbidden: 'The host leads to an address that may not be called. Use a public one.',
  webhook_disabled: 'The webhook was disabled while this was on its way. Enable it, then have it delivered again.',
} as const;

/** Codes are stable: clients see them. */
export type WebhookFailure = keyof typeof failures;

/** For the wire. @param code as it was stored */
export function describeWebhookFailure(code: string): { code: string; detail: string } {
  return { code, detail: failures[code as WebhookFailure] };
}

/** Without an answer: whatever else is sent there now fails as well. */
export function isUnanswered(failure: WebhookFailure | null): boolean {
  return failure !== null && !['refused', 'redirected', 'gone'].includes(failure);
}

const disabledReasons = {
  gone: 'The address answered 410 Gone. Enable the webhook once the address takes events again.',
  failing: `The address took no event for ${retriedForDays} days. Enable the webhook once it does, and have what it missed delivered again.`,
} as const;

export function describeDisabling(code: keyof typeof disabledReasons): { code: string; detail: string } {
  return { code, detail: disabledReasons[code] };
}

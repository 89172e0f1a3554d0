// Reasons why an event did not reach a webhook, or why a webhook was disabled, with remedies for its user.
import { bounds } from '../shared/limits.ts';
import { attemptSeconds, retriedForDays } from './webhook-retries.ts';

const answerSoon = 'Answer 2xx as soon as the event is stored, and work on it afterwards.';

const failures = {
  refused: `The address answered with another status than 2xx. ${answerSoon}`,
  redirected: 'The address redirects, which is not followed. Register the address that it leads to.',
  gone: 'The address answered 410 Gone, so the webhook was disabled.',
  timed_out: `The address did not answer within ${attemptSeconds} seconds. ${answerSoon}`,
  unreachable:
    'The address cannot be reached, or broke the connection off. Check that it is up and open to the internet.',
  name_not_found: "The address' host is not known. Check the URL.",
  tls_failed: "The address' certificate is not valid. Use one that browsers accept.",
  protocol_error: 'The address does not answer in HTTP. Check the URL.',
  address_forbidden: 'The host leads to an address that may not be called. Use a public one.',
  webhook_disabled: 'The webhook was disabled while this was on its way. Enable it, then have it delivered again.',
  overflowed:
    `More than ${bounds.pendingDeliveriesPerWebhook} events waited for the webhook, or ` +
    `${bounds.pendingDeliveriesPerUser} for all of yours. Have this one delivered again once the address answers.`,
} as const;

/** Codes that clients see; a code never changes. */
export type WebhookFailure = keyof typeof failures;

/** The failure as clients see it. @param code the stored code */
export function describeWebhookFailure(code: string): { code: string; detail: string } {
  return { code, detail: failures[code as WebhookFailure] };
}

/** Whether the address gave no answer at all, so that other events would fail now as well. */
export function isUnanswered(failure: WebhookFailure | null): boolean {
  return failure !== null && !['refused', 'redirected', 'gone'].includes(failure);
}

const disabledReasons = {
  gone: 'The address answered 410 Gone. Enable the webhook once the address takes events again.',
  failing:
    `The address took no event for ${retriedForDays} days. ` +
    'Enable the webhook once it does, and have what it missed delivered again.',
} as const;

export function describeDisabling(code: keyof typeof disabledReasons): { code: string; detail: string } {
  return { code, detail: disabledReasons[code] };
}

const channelDisabledReasons = {
  gone: 'Its service says that the address, token or chat is not there any more. Make another one there, and set it.',
  failing: `It took no message for ${retriedForDays} days. Enable it once it does.`,
} as const;

/** Reason why an alert channel was disabled. */
export function describeChannelDisabling(code: keyof typeof channelDisabledReasons): { code: string; detail: string } {
  return { code, detail: channelDisabledReasons[code] };
}

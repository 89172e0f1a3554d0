// Reasons why an event did not reach a webhook, or why a webhook was disabled, with remedies for its user.
import { bounds } from '../shared/bounds.ts';
import { attemptSeconds, retriedForDays } from './webhook-retries.ts';

const answerSoon = 'Answer 2xx as soon as the event is stored, and process it afterwards.';

const failures = {
  refused: `The address answered with a status other than 2xx. ${answerSoon}`,
  redirected: 'The address answered with a redirect, which is not followed. Register the address of its target.',
  gone: 'The address answered 410 Gone, so the webhook was disabled.',
  timed_out: `The address did not answer within ${attemptSeconds} seconds. ${answerSoon}`,
  unreachable:
    'The address cannot be reached, or closed the connection. Check that it runs and is reachable from the internet.',
  name_not_found: 'The host name of the address does not exist. Check the URL.',
  tls_failed: 'The certificate of the address is not valid. Use one that browsers accept.',
  protocol_error: 'The address does not answer in HTTP. Check the URL.',
  address_forbidden: 'The host name resolves to an address that is not public. Use a public address.',
  webhook_disabled:
    'The webhook was disabled before the event was delivered. Enable it, then request the delivery again.',
  overflowed:
    `More than ${bounds.pendingDeliveriesPerWebhook} events waited for the webhook, or ` +
    `${bounds.pendingDeliveriesPerUser} for all your webhooks. Request this delivery again once the address answers.`,
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
  gone: 'The address answered 410 Gone. Enable the webhook once the address accepts events again.',
  failing:
    `The address accepted no event for ${retriedForDays} days. ` +
    'Enable the webhook once it does, and request the missed deliveries again.',
} as const;

export function describeDisabling(code: keyof typeof disabledReasons): { code: string; detail: string } {
  return { code, detail: disabledReasons[code] };
}

const channelDisabledReasons = {
  gone: 'Its service reports that the address, token or chat no longer exists. Create another one, and set it here.',
  failing: `The channel accepted no message for ${retriedForDays} days. Enable it once it does.`,
} as const;

/** Reason why an alert channel was disabled. */
export function describeChannelDisabling(code: keyof typeof channelDisabledReasons): { code: string; detail: string } {
  return { code, detail: channelDisabledReasons[code] };
}

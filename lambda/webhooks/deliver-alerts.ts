// Sends the due incidents to an alert channel: one sender at a time, all incidents in one message.
import type { AlertChannel, LastDelivery } from '../data/notices/alert-channels.ts';
import type { Notice } from '../data/notices/alert-notices.ts';
import { databaseOn, inTransaction } from '../data/database.ts';
import { flapsToConfirm } from '../domain/notices/incidents.ts';
import { webhookHost } from '../domain/shared/outbound-limits.ts';
import { quietUntil } from '../domain/notices/quiet-hours.ts';
import { alertTargetPlace } from '../domain/shared/sealed-places.ts';
import { retryDelaySeconds } from '../domain/notices/webhook-retries.ts';
import { attempt } from './attempt.ts';
import type { Outcome } from './attempt.ts';
import { messageOfNotices, requestOf, testMessage } from './alert-message.ts';
import type { AlertMessage } from './alert-message.ts';
import { leaseSeconds, sendersOfUser } from './deliver.ts';
import type { WebhookDeliveryOptions } from './deliver.ts';
import { mailAlerts } from './mail-alerts.ts';
import type { Wait } from './mail-alerts.ts';
import type { MailOptions } from './mail-notification.ts';

export interface AlertOptions {
  /** The origin of Telegram's Bot API. */
  readonly telegramURL: string;
}

export const telegramURL = 'https://api.telegram.org';

/** The maximum number of incidents in a message. The others follow in the next. */
const noticesAtOnce = 500;
/** The delay of the next attempt if all senders of the user are busy. */
const busySeconds = 2;

/** Sends due incidents to a channel until nothing is due. Later incidents have their own command. */
export async function deliverAlerts(
  options: WebhookDeliveryOptions & MailOptions & AlertOptions,
  channelID: string,
): Promise<void> {
  const { alertNotices, outbox } = databaseOn(options.pool);
  while (!options.signal.aborted) {
    const channel = await alertNotices.lease(channelID, leaseSeconds, sendersOfUser, flapsToConfirm, webhookHost);
    if (!channel) {
      if (await alertNotices.isWaiting(channelID, flapsToConfirm))
        await outbox.send({ queue: 'webhooks', body: { alertChannelID: channelID } }, busySeconds);
      return;
    }
    if (!(await deliverOnce(options, channel))) return;
  }
}

/** @returns whether to look for more at once */
async function deliverOnce(
  options: WebhookDeliveryOptions & MailOptions & AlertOptions,
  channel: AlertChannel,
): Promise<boolean> {
  const { pool, clock, random, log } = options;
  const { alertNotices } = databaseOn(pool);
  const isTest = channel.test_asked_at !== null;
  const until = channel.quiet_hours && quietUntil(clock(), channel.quiet_hours);
  if (until && !isTest) {
    await alertNotices.postpone(channel.id, (until.getTime() - clock().getTime()) / 1000, null);
    return false;
  }
  const notices = isTest ? [] : await alertNotices.due(channel.id, flapsToConfirm, noticesAtOnce);
  // The incident may have ended before its message.
  if (!isTest && notices.length === 0) {
    await alertNotices.postpone(channel.id, 1, null);
    return false;
  }
  const message = isTest ? testMessage : messageOfNotices(notices, channel.quiet_hours?.timeZone ?? 'UTC');
  const outcome = await send(options, channel, message, notices);
  if ('waitSeconds' in outcome) {
    await alertNotices.postpone(channel.id, outcome.waitSeconds, null);
    return false;
  }
  const { status, failure } = outcome;
  const delivery: LastDelivery = { at: clock().toISOString(), status, failure };
  log('alert_attempted', { channelID: channel.id, kind: channel.kind, incidents: notices.length, status, failure });
  if (failure === null) {
    await alertNotices.recordSent(channel.id, notices, delivery, isTest);
    // Incidents that came meanwhile have their own command.
    return isTest || notices.length === noticesAtOnce;
  }
  const ageSeconds = (clock().getTime() - (channel.failing_since ?? clock()).getTime()) / 1000;
  const isGone = failure === 'gone';
  const delaySeconds = isGone
    ? null
    : retryDelaySeconds(channel.failures + 1, ageSeconds, outcome.retryAfterSeconds, random);
  await inTransaction(pool, async (data) => {
    await data.alertNotices.postpone(channel.id, delaySeconds ?? 0, delivery);
    if (delaySeconds !== null) return;
    const reason = isGone ? 'gone' : 'failing';
    await data.alertChannels.disable(channel.id, reason);
    await data.notifications.add({
      userID: channel.user_id,
      kind: 'alert_channel_disabled',
      reference: `${channel.id} ${delivery.at}`,
      detail: { channelID: channel.id, name: channel.name, target: channel.shown_target, reason },
      dueAt: clock(),
    });
  });
  return false;
}

async function send(
  options: WebhookDeliveryOptions & MailOptions & AlertOptions,
  channel: AlertChannel,
  message: AlertMessage,
  notices: readonly Notice[],
): Promise<Outcome | Wait> {
  const { kind } = channel;
  if (kind === 'email' || channel.sealed_target === null) return mailAlerts(options, channel, message, notices);
  const target = options.sealer.open(channel.sealed_target, alertTargetPlace(channel.id));
  const { url, body } = requestOf(kind, target, message, notices, options.telegramURL);
  const outcome = await attempt(url, {}, body, options.attempts, options.signal);
  const asked = { ...outcome, retryAfterSeconds: Math.max(outcome.retryAfterSeconds, retryAfterOfBody(outcome)) };
  return kind !== 'webhook' && isRefusedForGood(asked) ? { ...asked, failure: 'gone' } : asked;
}

/** Slack, Discord and Telegram answer so if a token, webhook, channel or chat is gone. Only 429 and 5xx are retried. */
function isRefusedForGood({ status }: Outcome): boolean {
  return status !== null && [401, 403, 404, 410].includes(status);
}

/** The seconds of `retry_after`, in `parameters` at Telegram, at the top level at Discord; 0 if there is none. */
function retryAfterOfBody({ excerpt, status }: Outcome): number {
  if (status !== 429) return 0;
  const found = /"retry_after"\s*:\s*(\d{1,9}(?:\.\d+)?)/.exec(excerpt ?? '');
  return found ? Math.ceil(Number(found[1])) : 0;
}

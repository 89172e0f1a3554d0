// Disables a webhook that takes nothing any more, and tells its user so.
import type { Database } from '../data/database.ts';
import type { Webhook, WebhookDisabledReason } from '../data/webhooks.ts';

/**
 * One that has another address by now than `webhook` stays enabled.
 * @param unlessSince leaves one enabled that has taken something since then
 */
export async function disableWebhook(
  data: Database,
  { id, user_id: userID, url }: Pick<Webhook, 'id' | 'user_id' | 'url'>,
  reason: WebhookDisabledReason,
  now: Date,
  unlessSince: Date | null = null,
): Promise<void> {
  const disabled = await data.webhooks.disable(id, url, reason, unlessSince);
  if (!disabled) return;
  await data.webhookDeliveries.failPending(id, 'webhook_disabled');
  const reference = `${id} ${now.toISOString()}`;
  await data.notifications.add({
    userID,
    kind: 'webhook_disabled',
    reference,
    detail: { webhookID: id, url, reason },
    dueAt: now,
  });
}

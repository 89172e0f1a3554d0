// Disables a webhook that no longer accepts events, and notifies its user.
import type { Database } from '../../data/database.ts';
import type { Webhook, WebhookDisabledReason } from '../../data/notices/webhooks.ts';

/**
 * Disables a webhook, unless its address was changed after the caller read it.
 * @param unlessSince the webhook also stays enabled if it has accepted an event since then
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

// What the queue 'webhooks' is for: something is due to a webhook, or a user has to be mailed. What it is stands in the rows.
import type { WebhookCommand } from '../data/outbox.ts';
import type { QueueHandler } from '../ports/command-queue/command-queue.ts';
import { deliverTo } from './deliver.ts';
import type { DeliveryParts } from './deliver.ts';
import { mailNotification } from './mail-notification.ts';
import type { MailParts } from './mail-notification.ts';

export type WebhookParts = DeliveryParts & MailParts;

/**
 * A webhook that is named more than once is served once. Commands that fail by our fault are delivered again. Those that this leaves in the
 * outbox, mostly for later, are relayed by agents and by the sweep.
 */
export function createWebhooksHandler(parts: WebhookParts): QueueHandler {
  const carryOut = (command: WebhookCommand) =>
    'webhookID' in command ? deliverTo(parts, command.webhookID) : mailNotification(parts, command.notificationID);
  return async ({ Records }) => {
    const sameCommand = [...Map.groupBy(Records, ({ body }) => body)];
    const results = await Promise.allSettled(sameCommand.map(([body]) => carryOut(JSON.parse(body) as WebhookCommand)));
    const batchItemFailures = sameCommand.flatMap(([body, records], index) => {
      const result = results[index]!;
      if (result.status === 'fulfilled') return [];
      if (!parts.signal.aborted) parts.log('webhook_command_failed', { command: body, error: result.reason });
      return records.map(({ messageId }) => ({ itemIdentifier: messageId }));
    });
    return { batchItemFailures };
  };
}

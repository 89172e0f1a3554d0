// Handles the commands of the queue 'webhooks'.
// A command delivers to a webhook or an alert channel, mails a user, or evaluates incidents.
import type { WebhookCommand } from '../data/shared/outbox.ts';
import { reconcileAllIncidents } from '../orchestration/notices/reconcile-incidents.ts';
import type { ReconcileOptions } from '../orchestration/notices/reconcile-incidents.ts';
import type { QueueHandler } from '../ports/command-queue/command-queue.ts';
import { deliverAlerts } from './deliver-alerts.ts';
import type { AlertOptions } from './deliver-alerts.ts';
import { deliverTo } from './deliver.ts';
import type { WebhookDeliveryOptions } from './deliver.ts';
import { mailNotification } from './mail-notification.ts';
import type { MailOptions } from './mail-notification.ts';

export type WebhookOptions = WebhookDeliveryOptions & MailOptions & AlertOptions & ReconcileOptions;

/**
 * The handler of the queue. The work of a command is in rows of the database. A webhook named by several commands is
 * served once. Commands that fail by our fault are delivered again. Commands that stay in the outbox, mostly for later,
 * are relayed by agents and by the sweep.
 */
export function createWebhooksHandler(options: WebhookOptions): QueueHandler {
  const carryOut = async (command: WebhookCommand): Promise<void> => {
    if ('webhookID' in command) return deliverTo(options, command.webhookID);
    if ('alertChannelID' in command) return deliverAlerts(options, command.alertChannelID);
    if ('incidents' in command) return reconcileAllIncidents(options, command.incidents);
    if ('notificationID' in command) return mailNotification(options, command.notificationID);
    // A newer release may have sent it, and may receive the next delivery.
    throw new Error(`not a command that is known here: ${JSON.stringify(command)}`);
  };
  return async ({ Records }) => {
    const sameCommand = [...Map.groupBy(Records, ({ body }) => body)];
    const results = await Promise.allSettled(sameCommand.map(([body]) => carryOut(JSON.parse(body) as WebhookCommand)));
    const batchItemFailures = sameCommand.flatMap(([body, records], index) => {
      const result = results[index]!;
      if (result.status === 'fulfilled') return [];
      if (!options.signal.aborted) options.log('webhook_command_failed', { command: body, error: result.reason });
      return records.map(({ messageId }) => ({ itemIdentifier: messageId }));
    });
    return { batchItemFailures };
  };
}

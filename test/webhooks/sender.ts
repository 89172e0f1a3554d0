// The sender of webhooks and mails for tests: each attempt has little time, and only waiting commands count.
import type { Pool } from 'pg';
import { newID } from '../../lambda/data/shared/new-id.ts';
import type { WebhookCommand } from '../../lambda/data/shared/outbox.ts';
import type { QueueHandler } from '../../lambda/ports/command-queue/command-queue.ts';
import type { Mail } from '../../lambda/ports/mailer/mailer.ts';
import { createNameResolver } from '../../lambda/ports/outbound/name-resolver.ts';
import type { Sealer } from '../../lambda/ports/sealer/sealer.ts';
import { createWebhooksHandler } from '../../lambda/webhooks/webhooks.ts';
import type { WebhookOptions } from '../../lambda/webhooks/webhooks.ts';

export interface TestSender {
  /** The sent mails. */
  readonly mails: Mail[];
  readonly logged: string[];
  readonly handler: QueueHandler;
  /** Carries out due commands until none is left. @returns the number of failures */
  work: () => Promise<number>;
  /** Carries out one command. */
  carryOut: (command: WebhookCommand) => ReturnType<QueueHandler>;
}

type Settings = Partial<Omit<WebhookOptions, 'attempts'>> & { readonly attempts?: Partial<WebhookOptions['attempts']> };

export function testSender(pool: Pool, sealer: Sealer, { attempts = {}, ...other }: Settings = {}): TestSender {
  const mails: Mail[] = [];
  const logged: string[] = [];
  const handler = createWebhooksHandler({
    pool,
    sealer,
    attempts: { allowPrivateAddresses: true, resolve: createNameResolver(), timeoutMs: 1000, ...attempts },
    mailer: { send: async (mail) => void mails.push(mail) },
    siteURL: 'https://example.org',
    telegramURL: 'http://127.0.0.1:9',
    newID: (prefix) => newID(prefix, new Date()),
    clock: () => new Date(),
    steadyClock: () => performance.now(),
    random: () => 0,
    log: (event, fields) => void logged.push(JSON.stringify({ event, ...fields, error: String(fields['error']) })),
    signal: new AbortController().signal,
    ...other,
  });
  const carryOut = (command: WebhookCommand) =>
    handler({ Records: [{ messageId: '1', body: JSON.stringify(command) }] } as Parameters<typeof handler>[0]);
  return {
    mails,
    logged,
    carryOut,
    handler,
    async work() {
      // Signals are processed two seconds later.
      const settled = await carryOut({ incidents: '' });
      for (let failed = settled.batchItemFailures.length; ;) {
        const due = `delete from outbox where queue = 'webhooks' and visible_at <= now() returning id, body`;
        const { rows } = await pool.query(due);
        if (rows.length === 0) return failed;
        const Records = rows.map((row) => ({ messageId: String(row.id), body: JSON.stringify(row.body) }));
        const { batchItemFailures } = await handler({ Records } as Parameters<typeof handler>[0]);
        failed += batchItemFailures.length;
      }
    },
  };
}

// Every notification is mailed once to its user, with a remedy. A failed mail is sent later.
import { beforeEach, describe, expect, it } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import type { NotificationKind } from '../../lambda/domain/notices/notification-words.ts';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import { breakIdleTransactions } from '../support/database-outage.ts';
import { commandsTo } from '../support/outbox-rows.ts';
import { testDataKey, testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';
import { clearNotifications, countUnsentNotifications, makeNotificationsDue } from '../support/webhook-deliveries.ts';
import { testSender } from './sender.ts';

const service = testService();
const sender = (settings?: Parameters<typeof testSender>[2]) =>
  testSender(service.pool(), createSealer([testDataKey]), settings);
let user: TestUser;
beforeEach(async () => {
  await clearNotifications(service);
  user = await service.user();
});

const credits = { creditsLeft: 12.3456, creditsExhaustedAt: new Date('2030-01-31T18:00:00.123Z') };
const notify = (kind: NotificationKind, detail: object, dueAt = new Date()) =>
  databaseOn(service.pool()).notifications.add({ userID: user.id, kind, reference: 'x', detail: { ...detail }, dueAt });
const named = (id: string, name: string | null) => ({ id, name });
const unsent = () => countUnsentNotifications(service);

/** Runs a sweep, which finds the notifications that were not mailed yet. */
async function sweep(): Promise<void> {
  await makeNotificationsDue(service, 2);
  await databaseOn(service.pool()).webhooks.wakeForgotten(60);
}

describe('a notification', () => {
  it.each([
    [
      'credits_end_within_day',
      credits,
      'within a day',
      '12 credits left. Your live streams use them up at 2030-01-31 18:00:00 UTC',
    ],
    ['credits_end_within_hour', credits, 'within an hour', 'Buy more before then'],
    ['credits_exhausted', credits, 'used up', 'continue for up to 5 minutes'],
    [
      'storage_will_cost',
      { storedGiB: 60.5, freeGiB: 50, creditsPerGiBMonth: 4, chargedFrom: '2030-01-09' },
      'will begin to cost',
      'You have 60.5 GiB of uploads, and 50 GiB are free. From 2030-01-09 on, each further GiB costs 4 credits',
    ],
    [
      'streams_stopped_without_credits',
      { streamIDs: ['str_1', 'str_2'], streams: [named('str_1', 'Night radio'), named('str_2', null)] },
      'have stopped',
      '\n• Night radio\n• str_2\n',
    ],
    ['payment_refunded', { invoiceID: 'inv_1', creditsTakenBack: 5 }, 'refunded', '5 credits of invoice inv_1'],
    ['payment_disputed', { invoiceID: 'inv_1', creditsTakenBack: 5 }, 'disputed', '5 credits of invoice inv_1'],
    [
      'webhook_disabled',
      { webhookID: 'whk_1', url: 'https://hooks.example.org/', reason: 'failing' },
      'disabled',
      'accepted no event for 3 days',
    ],
  ] as const)('%s is mailed once', async (kind, detail, subject, text) => {
    await notify(kind, detail);
    await notify(kind, detail);
    const { mails, work } = sender();
    expect(await work()).toBe(0);
    expect(mails).toEqual([
      {
        to: `${user.id}@example.com`,
        receiver: 'funded',
        subject: expect.stringContaining(subject),
        text: expect.stringContaining(text),
        html: expect.stringContaining(`>${mails[0]!.subject}</h1>`),
        reference: expect.stringMatching(/^notification-\d+$/),
      },
    ]);
    expect(mails[0]!.text).toMatch(/\n\n[A-Z][a-z ]+:\nhttps:\/\/example\.org\/[\w/]+\n\n/);
    expect(await unsent()).toBe(0);
  });

  it('that several senders try to mail is mailed by one of them', async () => {
    await notify('credits_exhausted', credits);
    const [command] = await commandsTo(service, 'webhooks');
    expect(command).toEqual({ notificationID: expect.any(Number) });
    for (let copies = 0; copies < 10; copies++)
      await databaseOn(service.pool()).outbox.send({ queue: 'webhooks', body: command! });
    const sent: string[] = [];
    const mailer = { send: async () => void sent.push('x') };
    await Promise.all(Array.from({ length: 5 }, () => sender({ mailer }).work()));
    expect(sent).toHaveLength(1);
  });

  it('whose mail could not be handed over is mailed later, with the same reference', async () => {
    await notify('credits_exhausted', credits);
    const references: unknown[] = [];
    const broken = {
      async send({ reference }: { reference?: string }) {
        references.push(reference);
        throw new Error('no SES today');
      },
    };
    const failing = sender({ mailer: broken });
    expect(await failing.work()).toBe(1);
    expect(failing.logged.join()).toContain('no SES today');
    expect(await unsent()).toBe(1);
    await sweep();
    const { mails, work } = sender();
    await work();
    expect(mails.map(({ reference }) => reference)).toEqual(references);
  });

  it('whose sender died before it could note the mail is mailed again, with the same reference', async () => {
    await notify('payment_refunded', { invoiceID: 'inv_1', creditsTakenBack: 5 });
    const references: (string | undefined)[] = [];
    const dying = {
      async send({ reference }: { reference?: string }) {
        references.push(reference);
        await breakIdleTransactions(service);
      },
    };
    expect(await sender({ mailer: dying }).work()).toBe(1);
    await sweep();
    const { mails, work } = sender();
    await work();
    expect([references.length, mails[0]!.reference]).toEqual([1, references[0]]);
  });

  it('waits for its time', async () => {
    await notify('credits_exhausted', credits, new Date(Date.now() + 3_600_000));
    const { mails, work } = sender();
    await work();
    expect([mails.length, await unsent()]).toEqual([0, 1]);
  });

  it('counts as sent where a stage sends no mails, and that is logged', async () => {
    await notify('credits_exhausted', credits);
    const { logged, work } = sender({ mailer: null });
    expect(await work()).toBe(0);
    expect(logged.join()).toContain('mail_not_sent');
    await databaseOn(service.pool()).webhooks.wakeForgotten(0);
    const left = await commandsTo(service, 'webhooks');
    expect(left.filter((command) => 'notificationID' in command)).toEqual([]);
  });
});

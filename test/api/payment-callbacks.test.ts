// Stripe's reports of card payments: late, repeated, out of order or reversed; and messages from other senders.
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { Stripe } from 'stripe';
import { databaseOn } from '../../lambda/data/database.ts';
import { applyPayments } from '../../lambda/orchestration/billing/apply-payments.ts';
import { notificationsOf, putFailuresAside, unappliedFailures } from '../support/books.ts';
import { testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';
import { streamedRequest } from '../support/streamed-request.ts';
import { paymentsOn } from './payments.ts';

const service = testService();
const { billing, deliverPayment, dispute, invoice, invoices, pay, refund, stripe, topUp } = paymentsOn(service);
let user: TestUser;

beforeEach(async () => {
  user = await service.user(0);
});

const told = () => notificationsOf(service, user.id);
/** The number of stored messages with this body. */
const keptWith = async (body: string) =>
  (await service.pool().query('select from payment_events where body = $1', [body])).rowCount;
/** Spends credits of the user. */
const useUp = (credits: number) =>
  databaseOn(service.pool()).ledger.take({
    userID: user.id,
    cause: 'usage',
    reference: randomUUID(),
    credits,
    account: 'usage',
    at: new Date(),
  });

describe('a top-up', () => {
  it('is credited when it is paid, with its receipt, and not before', async () => {
    const { invoiceID, credits, messages } = await topUp(user, 1250);
    expect([credits, await billing(user)]).toEqual([
      1250,
      expect.objectContaining({ balance: 0, creditsLeft: 0, goodStanding: true }),
    ]);
    expect(await invoice(user, invoiceID)).toMatchObject({
      state: 'pending',
      cost: 12.5,
      currency: 'USD',
      credits: 1250,
      remainingCredits: 0,
      method: 'card',
      type: 'credit_purchase',
    });
    for (const message of messages('pay')) expect((await deliverPayment(message)).status).toBe(200);
    expect(await invoice(user, invoiceID)).toMatchObject({
      state: 'paid',
      remainingCredits: 1250,
      receiptURL: expect.stringContaining(invoiceID),
    });
    expect(await billing(user)).toMatchObject({ balance: 1250, creditsLeft: 1250 });
  });

  it('is tried once a turn where its commit fails each time, and is credited when that is over', async () => {
    const { messages } = await topUp(user, 700);
    await service.pool().query(
      `create function refuse_commit() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$;
       create constraint trigger refused after insert on ledger_transactions deferrable initially deferred
         for each row execute function refuse_commit()`,
    );
    for (const message of messages('pay')) await deliverPayment(message);
    await expect(applyPayments(service.pool())).rejects.toThrow('not now');
    expect(await billing(user)).toMatchObject({ balance: 0 });
    await service.pool().query('drop trigger refused on ledger_transactions; drop function refuse_commit');
    await applyPayments(service.pool());
    expect(await billing(user)).toMatchObject({ balance: 700 });
  });

  it('is credited once, however often its message comes, even at once', async () => {
    const { messages } = await topUp(user, 500);
    const [, completed] = messages('pay');
    await Promise.all(Array.from({ length: 8 }, () => deliverPayment(completed)));
    // Stripe reports slow payment methods by a second message with the same content.
    await deliverPayment({ ...messages('pay')[1]! });
    expect((await billing(user)).balance).toBe(500);
  });

  it('that was given up is still credited when it is paid, and a paid one is never given up', async () => {
    const { invoiceID, messages } = await topUp(user, 500);
    for (const message of messages('cancel')) await deliverPayment(message);
    expect((await invoice(user, invoiceID)).state).toBe('expired');
    for (const message of messages('pay')) await deliverPayment(message);
    for (const message of messages('cancel')) await deliverPayment(message);
    expect(await invoice(user, invoiceID)).toMatchObject({ state: 'paid', remainingCredits: 500 });
  });

  it('is not credited while a slow payment is under way, and cancelled when that fails', async () => {
    const { invoiceID } = await topUp(user, 500);
    const session = {
      id: 'cs_1',
      object: 'checkout.session',
      metadata: { invoiceID },
      amount_total: 500,
      currency: 'usd',
      payment_intent: `pi_${invoiceID}`,
    };
    await deliverPayment(stripe('checkout.session.completed', { ...session, payment_status: 'unpaid' }));
    expect((await billing(user)).balance).toBe(0);
    await deliverPayment(stripe('checkout.session.async_payment_failed', { ...session, payment_status: 'unpaid' }));
    expect((await invoice(user, invoiceID)).state).toBe('cancelled');
  });

  it('in another currency is not credited, and waits for somebody to look', async () => {
    const { invoiceID } = await topUp(user, 500);
    const session = {
      id: 'cs_1',
      object: 'checkout.session',
      metadata: { invoiceID },
      amount_total: 500,
      currency: 'eur',
      payment_intent: `pi_${invoiceID}`,
    };
    await deliverPayment(stripe('checkout.session.completed', { ...session, payment_status: 'paid' }));
    expect((await billing(user)).balance).toBe(0);
    expect(await unappliedFailures(service)).toEqual([expect.stringContaining('EUR')]);
    await putFailuresAside(service);
  });

  it('takes whole cents from one dollar to ten thousand', async () => {
    for (const amountCents of [99, 1_000_001, 100.5, '500', null]) {
      expect((await user.call('POST', '/billing/top-ups', { amountCents })).status).toBe(422);
    }
    expect(await invoices(user)).toEqual([]);
  });
});

describe('a refund', () => {
  it('takes credits back, in part and in whole, and tells the user', async () => {
    const invoiceID = await pay(user, 1000);
    await deliverPayment(refund('re_part', invoiceID, 300));
    expect(await invoice(user, invoiceID)).toMatchObject({ state: 'paid', remainingCredits: 700 });
    await deliverPayment(refund('re_rest', invoiceID, 700, 'pending'));
    await deliverPayment(refund('re_rest', invoiceID, 700, 'succeeded', 'refund.updated'));
    expect(await invoice(user, invoiceID)).toMatchObject({ state: 'refunded', remainingCredits: 0 });
    expect(await billing(user)).toMatchObject({ balance: 0, goodStanding: true });
    expect((await told()).map(({ kind, detail }) => [kind, detail['creditsTakenBack']])).toEqual([
      ['payment_refunded', 300],
      ['payment_refunded', 700],
    ]);
  });

  it('that fails gives them back, whichever message comes first', async () => {
    const [a, b] = [await pay(user, 1000), await pay(user, 1000)];
    await deliverPayment(refund('re_a', a, 1000));
    await deliverPayment(refund('re_a', a, 1000, 'failed', 'refund.failed'));
    await deliverPayment(refund('re_b', b, 1000, 'failed', 'refund.failed'));
    await deliverPayment(refund('re_b', b, 1000));
    expect([await invoice(user, a), await invoice(user, b)]).toMatchObject([
      { state: 'paid', remainingCredits: 1000 },
      { state: 'paid', remainingCredits: 1000 },
    ]);
  });

  it('that is delivered before its payment is applied after it', async () => {
    const { invoiceID, messages } = await topUp(user, 800);
    expect((await deliverPayment(refund('re_early', invoiceID, 800))).status).toBe(200);
    for (const message of messages('pay')) await deliverPayment(message);
    expect(await invoice(user, invoiceID)).toMatchObject({ state: 'refunded', remainingCredits: 0 });
    expect((await billing(user)).balance).toBe(0);
  });

  it('that cannot be applied rests after an hour, and longer after a week, and is applied once it can be', async () => {
    const { invoiceID, messages } = await topUp(user, 800);
    for (const id of ['re_rests', 're_also']) await deliverPayment(refund(id, invoiceID, 400));
    const age = (hours: number) =>
      service.pool().query('update payment_events set received_at = now() - make_interval(hours => $1)', [hours]);
    /** The number of tries in as many sweeps, with a message between any two of them. */
    const triesIn = async (sweeps: number) => {
      const version = `select coalesce(sum(xmin::text::bigint), 0)::text as sum from payment_events
        where applied_at is null`;
      let [tries, before] = [0, ''];
      for (let turn = 1; turn <= sweeps; turn++) {
        before = (await service.pool().query(version)).rows[0].sum;
        await applyPayments(service.pool());
        await applyPayments(service.pool(), turn);
        if ((await service.pool().query(version)).rows[0].sum !== before) tries++;
      }
      return tries;
    };
    expect(await triesIn(3)).toBe(3);
    await age(2);
    expect(await triesIn(60)).toBe(2);
    await age(8 * 24);
    expect(await triesIn(60)).toBeLessThanOrEqual(1);
    expect(await unappliedFailures(service)).toHaveLength(2);
    for (const message of messages('pay')) await deliverPayment(message);
    expect((await invoice(user, invoiceID)).remainingCredits).toBe(800);
    await age(3);
    for (let turn = 1; turn <= 60; turn++) await applyPayments(service.pool(), turn);
    expect(await invoice(user, invoiceID)).toMatchObject({ state: 'refunded', remainingCredits: 0 });
  });
});

describe('a dispute', () => {
  it('takes credits back, from other purchases too and below zero, and tells the user', async () => {
    const first = await pay(user, 1000);
    const second = await pay(user, 200);
    await useUp(900);
    await deliverPayment(dispute('dp_1', first, 1000, 'needs_response', 'charge.dispute.created'));
    expect(await invoices(user)).toMatchObject([
      { type: 'adjustment', state: 'paid', credits: 0, cost: 0, remainingCredits: -700 },
      { id: second, remainingCredits: 0 },
      { id: first, state: 'refunded', remainingCredits: 0 },
    ]);
    expect(await billing(user)).toMatchObject({ balance: -700, creditsLeft: -700, goodStanding: false });
    expect((await told()).map(({ kind }) => kind)).toEqual(['payment_disputed']);
    // The next purchase first pays the debt.
    const third = await pay(user, 1000);
    expect(await invoice(user, third)).toMatchObject({ remainingCredits: 300 });
    expect(await billing(user)).toMatchObject({ balance: 300, goodStanding: false });
    await deliverPayment(dispute('dp_1', first, 1000, 'won', 'charge.dispute.closed'));
    await deliverPayment(dispute('dp_1', first, 1000, 'under_review'));
    expect(await billing(user)).toMatchObject({ balance: 1300, goodStanding: true });
    expect(await invoice(user, first)).toMatchObject({ state: 'paid', remainingCredits: 1000 });
  });

  it('that is only a warning takes nothing', async () => {
    const invoiceID = await pay(user, 1000);
    await deliverPayment(dispute('dp_w', invoiceID, 1000, 'warning_needs_response', 'charge.dispute.created'));
    expect(await billing(user)).toMatchObject({ balance: 1000, goodStanding: true });
    await deliverPayment(dispute('dp_w', invoiceID, 1000, 'needs_response'));
    expect(await billing(user)).toMatchObject({ balance: 0, goodStanding: false });
    await deliverPayment(dispute('dp_w', invoiceID, 1000, 'lost', 'charge.dispute.closed'));
    expect(await billing(user)).toMatchObject({ balance: 0, goodStanding: true });
  });

  it('and a refund of the same payment take no more than was paid', async () => {
    const invoiceID = await pay(user, 1000);
    await deliverPayment(refund('re_2', invoiceID, 600));
    await deliverPayment(dispute('dp_2', invoiceID, 1000, 'needs_response', 'charge.dispute.created'));
    expect(await billing(user)).toMatchObject({ balance: 0 });
  });

  it('that is won leaves taken what was refunded meanwhile, until that fails', async () => {
    const invoiceID = await pay(user, 1000);
    const taken = async () => [(await billing(user)).balance, (await invoice(user, invoiceID)).state];
    await deliverPayment(dispute('dp_3', invoiceID, 1000, 'needs_response', 'charge.dispute.created'));
    await deliverPayment(refund('re_3', invoiceID, 400));
    expect(await taken()).toEqual([0, 'refunded']);
    await deliverPayment(dispute('dp_3', invoiceID, 1000, 'won', 'charge.dispute.closed'));
    expect(await taken()).toEqual([600, 'paid']);
    await deliverPayment(refund('re_3', invoiceID, 400, 'failed', 'refund.failed'));
    expect(await taken()).toEqual([1000, 'paid']);
  });

  it('that is won leaves an invoice refunded of which everything was refunded meanwhile', async () => {
    const invoiceID = await pay(user, 1000);
    await deliverPayment(dispute('dp_4', invoiceID, 1000, 'needs_response', 'charge.dispute.created'));
    for (const id of ['re_4', 're_5']) await deliverPayment(refund(id, invoiceID, 500));
    await deliverPayment(dispute('dp_4', invoiceID, 1000, 'won', 'charge.dispute.closed'));
    expect([(await billing(user)).balance, (await invoice(user, invoiceID)).state]).toEqual([0, 'refunded']);
  });
});

describe('a message', () => {
  it('that is altered, unsigned, signed by somebody else or too old is refused, and changes nothing', async () => {
    const { messages } = await topUp(user, 500);
    const [, { body, headers }] = messages('pay') as [never, { body: string; headers: Record<string, string> }];
    const signed = (options: { secret?: string; timestamp?: number }) => ({
      'stripe-signature': Stripe.webhooks.generateTestHeaderString({ payload: body, secret: 'whsec_test', ...options }),
    });
    const old = Math.floor(Date.now() / 1000) - 301;
    const refused = [
      { body: body.replace('500', '501'), headers },
      { body: `${body} `, headers },
      { body, headers: {} as Record<string, string> },
      { body, headers: signed({ secret: 'whsec_other' }) },
      { body, headers: signed({ timestamp: old }) },
      { body, headers: { 'stripe-signature': 't=1,v1=00' } },
      { body: '', headers },
    ];
    for (const message of refused) expect((await deliverPayment(message)).status).toBe(400);
    expect((await billing(user)).balance).toBe(0);
    expect((await deliverPayment({ body, headers })).status).toBe(200);
    expect((await billing(user)).balance).toBe(500);
    expect(service.logged.join()).not.toMatch(/whsec_test|v1=[0-9a-f]{64}/);
  });

  it('about a checkout that nobody was ever given is accepted', async () => {
    const session = {
      id: 'cs_1',
      metadata: { invoiceID: 'inv_never_written' },
      amount_total: 500,
      currency: 'usd',
      payment_intent: null,
      payment_status: 'unpaid',
    };
    for (const type of ['checkout.session.expired', 'checkout.session.async_payment_failed'])
      expect((await deliverPayment(stripe(type, session))).status).toBe(200);
    expect(await unappliedFailures(service)).toEqual([]);
  });

  it('that means nothing to us is accepted', async () => {
    const notOurs = { id: 'x', metadata: {}, payment_status: 'paid', amount_total: 5, currency: 'usd' };
    for (const type of ['customer.created', 'checkout.session.completed', 'charge.succeeded'])
      expect((await deliverPayment(stripe(type, notOurs))).status).toBe(200);
  });

  it('is kept as it was received', async () => {
    const message = stripe('customer.created', { id: 'cus_1', name: 'ÄÖ 😀' }, `evt_${randomUUID()}`);
    await deliverPayment(message);
    expect(await keptWith(message.body)).toBe(1);
  });

  it('that is not posted, or is too large, is refused', async () => {
    const url = 'http://127.0.0.1:3999/v1/callbacks/payment';
    expect((await service.send(new Request(url))).status).toBe(405);
    expect((await service.send(new Request(url, { method: 'POST', body: 'x'.repeat(300_000) }))).status).toBe(413);
  });

  it('whose length is not known is not read beyond the bound', async () => {
    const { request, takenBytes } = streamedRequest('http://127.0.0.1:3999/v1/callbacks/payment');
    expect((await service.handler()(request, '192.0.2.1')).status).toBe(413);
    expect(takenBytes()).toBeLessThan(400_000);
  });
});

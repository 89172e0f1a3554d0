// Card payments by Stripe: our calls to Stripe's own mock server, and messages in Stripe's documented form.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Stripe } from 'stripe';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalPayment } from '../../../lambda/ports/payments/local-payment.ts';
import { readStripeEvent, stripeEventTypes } from '../../../lambda/ports/payments/stripe-events.ts';
import { createStripePayment } from '../../../lambda/ports/payments/stripe-payment.ts';
import { findStripeMock } from '../../support/stripe-mock.ts';

const mock = await findStripeMock();
const now = new Date('2026-06-01T12:00:00Z');
const webhookSecret = 'whsec_of_tests';
const checkout = { invoiceID: 'inv_1', amountCents: 1234, credits: 1234 };

const signed = (body: string) =>
  new Headers({
    'stripe-signature': Stripe.webhooks.generateTestHeaderString({ payload: body, secret: webhookSecret }),
  });
const reportsOf = async (type: string, object: object) => {
  const body = JSON.stringify({ id: 'evt_1', object: 'event', type, data: { object } });
  return (await readStripeEvent(webhookSecret, body, signed(body))).reports;
};

describe.skipIf(mock.missing)(`Stripe ${mock.note}`, { timeout: 60_000 }, () => {
  const seen: { path: string; form: Record<string, string>; idempotencyKey: unknown }[] = [];
  let between: Server;
  // A server in between records the requests to the mock.
  beforeAll(async () => {
    between = createServer((request, response) => {
      void (async () => {
        const body = await text(request);
        seen.push({
          path: request.url!,
          form: Object.fromEntries(new URLSearchParams(body)),
          idempotencyKey: request.headers['idempotency-key'],
        });
        const answer = await fetch(`http://127.0.0.1:${mock.port}${request.url}`, {
          method: request.method!,
          headers: {
            authorization: request.headers.authorization!,
            'content-type': request.headers['content-type'] ?? '',
          },
          body: body || null,
        });
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
      })();
    }).listen(0, '127.0.0.1');
    await once(between, 'listening');
  });
  afterAll(async () => {
    between.close();
    await mock.stop();
  });

  const provider = () =>
    createStripePayment({
      apiKey: 'sk_test_123',
      webhookSecret,
      siteURL: 'https://example.com',
      clock: () => now,
      api: { protocol: 'http', host: '127.0.0.1', port: (between.address() as AddressInfo).port },
    });
  const object = async (path: string) =>
    (await (
      await fetch(`http://127.0.0.1:${mock.port}/v1/${path}`, { headers: { authorization: 'Bearer sk_test_123' } })
    ).json()) as object;

  it('accepts our checkouts', async () => {
    const { url, expiresAt } = await provider().createCheckout(checkout);
    expect([new URL(url).protocol, expiresAt.getTime() > 0]).toEqual(['https:', true]);
    expect(seen.at(-1)).toEqual({
      path: '/v1/checkout/sessions',
      idempotencyKey: 'checkout inv_1',
      form: {
        mode: 'payment',
        client_reference_id: 'inv_1',
        'metadata[invoiceID]': 'inv_1',
        'payment_intent_data[metadata][invoiceID]': 'inv_1',
        'line_items[0][quantity]': '1',
        'line_items[0][price_data][currency]': 'usd',
        'line_items[0][price_data][unit_amount]': '1234',
        'line_items[0][price_data][product_data][name]': '1234 streaming credits',
        'adaptive_pricing[enabled]': 'false',
        success_url: 'https://example.com/billing?paid=inv_1',
        cancel_url: 'https://example.com/billing',
        expires_at: String(now.getTime() / 1000 + 3600),
      },
    });
  });

  it('has its documented objects understood', async () => {
    const metadata = { invoiceID: 'inv_1' };
    const [session, charge, refund, dispute] = await Promise.all(
      ['checkout/sessions/cs_1', 'charges/ch_1', 'refunds/re_1', 'disputes/dp_1'].map(object),
    );
    expect(
      await reportsOf('checkout.session.completed', {
        ...session,
        metadata,
        payment_status: 'paid',
        amount_total: 1234,
        currency: 'usd',
        payment_intent: 'pi_1',
      }),
    ).toEqual([{ kind: 'paid', invoiceID: 'inv_1', paymentReference: 'pi_1', amountCents: 1234, currency: 'USD' }]);
    expect(await reportsOf('charge.succeeded', { ...charge, metadata })).toEqual([
      { kind: 'receipt', invoiceID: 'inv_1', receiptURL: expect.stringMatching(/^https:/) },
    ]);
    expect(await reportsOf('refund.created', { ...refund, payment_intent: 'pi_1' })).toEqual([
      { kind: 'refund', id: 're_1', paymentReference: 'pi_1', amountCents: 100, taken: true, final: false },
    ]);
    expect(await reportsOf('charge.dispute.created', { ...dispute, payment_intent: { id: 'pi_1' } })).toEqual([
      { kind: 'dispute', id: 'dp_1', paymentReference: 'pi_1', amountCents: 1000, taken: false, final: false },
    ]);
    // Objects of the account's other business are ignored.
    for (const type of stripeEventTypes) expect(await reportsOf(type, await object('charges/ch_1'))).toEqual([]);
  });

  it('refuses a checkout without an amount', async () => {
    await expect(provider().createCheckout({ ...checkout, amountCents: Number.NaN })).rejects.toThrow(/./);
  });
});

describe('a provider that does not answer', () => {
  it('fails the checkout without naming its key', async () => {
    const unreachable = createStripePayment({
      apiKey: 'sk_test_secret',
      webhookSecret,
      siteURL: 'https://example.com',
      clock: () => now,
      api: { protocol: 'http', host: '127.0.0.1', port: 1 },
    });
    const failure = await unreachable.createCheckout(checkout).catch((error: unknown) => error);
    expect(String(failure)).toMatch(/connection/i);
    expect(JSON.stringify(failure) + String(failure)).not.toContain('sk_test_secret');
  });
});

describe('the status', () => {
  it.for([
    ['succeeded', true, false],
    ['pending', true, false],
    ['requires_action', true, false],
    ['failed', false, true],
    ['canceled', false, true],
  ] as const)('%s of a refund means taken %s, final %s', async ([status, taken, final]) => {
    expect(await reportsOf('refund.updated', { id: 're', amount: 5, status, payment_intent: 'pi' })).toMatchObject([
      { taken, final },
    ]);
  });
  it.for([
    ['warning_needs_response', false, false],
    ['warning_under_review', false, false],
    ['warning_closed', false, true],
    ['needs_response', true, false],
    ['under_review', true, false],
    ['won', false, true],
    ['lost', true, true],
    ['prevented', false, true],
  ] as const)('%s of a dispute means taken %s, final %s', async ([status, taken, final]) => {
    expect(
      await reportsOf('charge.dispute.updated', { id: 'dp', amount: 5, status, payment_intent: 'pi' }),
    ).toMatchObject([{ taken, final }]);
  });
});

describe('the local checkout', () => {
  const payment = createLocalPayment({
    checkoutURL: 'http://127.0.0.1:3000/checkout',
    signingKey: 'k',
    webhookSecret,
    clock: () => now,
  });
  const targetOf = (url: string) => url.slice(new URL(url).origin.length);

  it('opens with the amount to pay, unless the link was altered or has expired', async () => {
    const { url, expiresAt } = await payment.createCheckout(checkout);
    expect(expiresAt).toEqual(new Date('2026-06-01T13:00:00Z'));
    expect(payment.openCheckout(targetOf(url))).toEqual(checkout);
    expect(() => payment.openCheckout(targetOf(url).replace('1234', '1'))).toThrow(
      'not the one that the URL was signed for',
    );
    const later = createLocalPayment({
      checkoutURL: 'http://127.0.0.1:3000/checkout',
      signingKey: 'k',
      webhookSecret,
      clock: () => expiresAt,
    });
    expect(() => later.openCheckout(targetOf(url))).toThrow('expired');
  });

  it('sends the messages that Stripe sends, signed as Stripe signs them', async () => {
    const reports = async (outcome: 'pay' | 'cancel') => {
      const messages = payment.messagesOf(checkout, outcome);
      const events = messages.map(({ body, headers }) => payment.readEvent(body, new Headers(headers)));
      return (await Promise.all(events)).flatMap((event) => event.reports);
    };
    expect(await reports('pay')).toEqual([
      { kind: 'receipt', invoiceID: 'inv_1', receiptURL: 'http://127.0.0.1:3000/receipts/inv_1' },
      { kind: 'paid', invoiceID: 'inv_1', paymentReference: 'pi_inv_1', amountCents: 1234, currency: 'USD' },
    ]);
    expect(await reports('cancel')).toEqual([{ kind: 'expired', invoiceID: 'inv_1' }]);
  });
});

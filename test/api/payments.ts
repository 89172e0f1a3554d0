// Payments in tests: a user tops up, and payment providers report the outcome.
import { randomUUID } from 'node:crypto';
import { Stripe } from 'stripe';
import { callbackPaths } from '../../lambda/ports/payments/payment-providers.ts';
import type { SignedMessage } from '../../lambda/ports/payments/local-payment.ts';
import { baseURL } from '../support/service.ts';
import type { Answer, TestService, TestUser } from '../support/service.ts';

const origin = new URL(baseURL).origin;

export type Payments = ReturnType<typeof paymentsOn>;

export function paymentsOn(service: TestService) {
  const deliver = (path: string, { body, headers }: SignedMessage): Promise<Answer> =>
    service.send(new Request(origin + path, { method: 'POST', body, headers }));
  const payments = {
    deliverPayment: (message: SignedMessage) => deliver(callbackPaths.payment, message),
    deliverDeposit: (message: SignedMessage) => deliver(callbackPaths.crypto, message),

    /** A message as Stripe sends it, about an object in Stripe's documented form. */
    stripe: (type: string, object: object, id = `evt_${randomUUID()}`): SignedMessage => {
      const body = JSON.stringify({
        id,
        object: 'event',
        type,
        created: Math.floor(Date.now() / 1000),
        livemode: false,
        data: { object },
      });
      return {
        body,
        headers: {
          'stripe-signature': Stripe.webhooks.generateTestHeaderString({ payload: body, secret: 'whsec_test' }),
        },
      };
    },
    refund: (id: string, invoiceID: string, amount: number, status = 'succeeded', type = 'refund.created') =>
      payments.stripe(type, {
        id,
        object: 'refund',
        amount,
        currency: 'usd',
        status,
        payment_intent: `pi_${invoiceID}`,
        charge: `ch_${invoiceID}`,
      }),
    dispute: (id: string, invoiceID: string, amount: number, status: string, type = 'charge.dispute.updated') =>
      payments.stripe(type, {
        id,
        object: 'dispute',
        amount,
        currency: 'usd',
        status,
        payment_intent: `pi_${invoiceID}`,
        charge: `ch_${invoiceID}`,
      }),

    topUp: async (user: TestUser, amountCents: number) => {
      const { body } = await user.call('POST', '/billing/top-ups', { amountCents });
      const { pathname, search } = new URL(body.checkoutURL);
      const checkout = service.payment().openCheckout(pathname + search);
      return { ...body, messages: (outcome: 'pay' | 'cancel') => service.payment().messagesOf(checkout, outcome) };
    },
    pay: async (user: TestUser, amountCents: number): Promise<string> => {
      const { invoiceID, messages } = await payments.topUp(user, amountCents);
      for (const message of messages('pay')) await payments.deliverPayment(message);
      return invoiceID;
    },
    billing: async (user: TestUser) => (await user.call('GET', '/billing/overview')).body.billing,
    invoices: async (user: TestUser) => (await user.call('GET', '/billing/invoices')).body.data,
    invoice: async (user: TestUser, id: string) =>
      (await payments.invoices(user)).find((invoice: { id: string }) => invoice.id === id),
  };
  return payments;
}

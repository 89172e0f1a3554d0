// Card payments on one machine: a checkout page of our own.
// It sends messages like those of Stripe, with a signature like Stripe's.
import { randomUUID } from 'node:crypto';
import { Stripe } from 'stripe';
import { signTarget, verifyTarget } from '../object-store/signed-url.ts';
import type { Checkout, PaymentProvider } from './payment.ts';
import { readStripeEvent } from './stripe-events.ts';

export interface LocalPaymentOptions {
  /** Address of the page. Links to it have the checkout in their query, and are signed. */
  readonly checkoutURL: string;
  readonly signingKey: string;
  readonly webhookSecret: string;
  readonly clock: () => Date;
}

export interface SignedMessage {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface LocalPayment extends PaymentProvider {
  /** Checkout of a link. @throws SignedURLRefused if the link was changed or has expired */
  openCheckout(target: string): Checkout;
  /** The provider's messages after the user's action on the page. */
  messagesOf(checkout: Checkout, outcome: 'pay' | 'cancel'): SignedMessage[];
}

const checkoutLifetimeMs = 60 * 60_000;

export function createLocalPayment({
  checkoutURL,
  signingKey,
  webhookSecret,
  clock,
}: LocalPaymentOptions): LocalPayment {
  const message = (type: string, object: object): SignedMessage => {
    const event = {
      id: `evt_${randomUUID()}`,
      object: 'event',
      api_version: null,
      created: Math.floor(clock().getTime() / 1000),
      livemode: false,
      type,
      data: { object },
    };
    const body = JSON.stringify(event);
    const signature = Stripe.webhooks.generateTestHeaderString({ payload: body, secret: webhookSecret });
    return { body, headers: { 'stripe-signature': signature } };
  };
  return {
    name: 'local',
    createCheckout({ invoiceID, amountCents, credits }) {
      const expiresAt = new Date(Math.floor((clock().getTime() + checkoutLifetimeMs) / 1000) * 1000);
      const target = new URL(checkoutURL);
      const query = { invoiceID, amountCents: String(amountCents), credits: String(credits) };
      target.search = new URLSearchParams(query).toString();
      return Promise.resolve({ url: target.origin + signTarget(signingKey, 'GET', target, expiresAt), expiresAt });
    },
    openCheckout(target) {
      const parameters = verifyTarget(signingKey, 'GET', target, clock());
      return {
        invoiceID: parameters.get('invoiceID')!,
        amountCents: Number(parameters.get('amountCents')),
        credits: Number(parameters.get('credits')),
      };
    },
    messagesOf({ invoiceID, amountCents }, outcome) {
      const metadata = { invoiceID };
      const session = {
        id: `cs_${invoiceID}`,
        object: 'checkout.session',
        client_reference_id: invoiceID,
        metadata,
        amount_total: amountCents,
        currency: 'usd',
      };
      if (outcome === 'cancel')
        return [message('checkout.session.expired', { ...session, payment_status: 'unpaid', payment_intent: null })];
      const paymentIntent = `pi_${invoiceID}`;
      return [
        message('charge.succeeded', {
          id: `ch_${invoiceID}`,
          object: 'charge',
          metadata,
          payment_intent: paymentIntent,
          receipt_url: `${new URL(checkoutURL).origin}/receipts/${invoiceID}`,
        }),
        message('checkout.session.completed', { ...session, payment_status: 'paid', payment_intent: paymentIntent }),
      ];
    },
    readEvent: (body, headers) => readStripeEvent(webhookSecret, body, headers),
  };
}

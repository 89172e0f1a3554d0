// Card payments by Stripe Checkout.
import type { PaymentProvider } from './payment.ts';
import { readStripeEvent } from './stripe-events.ts';

export interface StripeOptions {
  readonly apiKey: string;
  /** Secret of the webhook endpoint: `whsec_…`. */
  readonly webhookSecret: string;
  /** Origin that Stripe returns the user to, without a trailing slash. */
  readonly siteURL: string;
  readonly clock: () => Date;
  /** Default: the API of Stripe. */
  readonly api?: { readonly protocol: 'http' | 'https'; readonly host: string; readonly port: number };
}

/** Time in which a checkout can be paid. Stripe allows 30 minutes to 24 hours. */
const checkoutLifetimeMs = 60 * 60_000;
/** With one retry this is less than the 29 seconds after which API Gateway ends the request. */
const requestTimeoutMs = 8000;

export function createStripePayment({ apiKey, webhookSecret, siteURL, clock, api }: StripeOptions): PaymentProvider {
  return {
    name: 'stripe',
    async createCheckout({ invoiceID, amountCents, credits }) {
      const { Stripe } = await import('stripe');
      const stripe = new Stripe(apiKey, { timeout: requestTimeoutMs, maxNetworkRetries: 1, telemetry: false, ...api });
      const metadata = { invoiceID };
      const price = {
        currency: 'usd',
        unit_amount: amountCents,
        product_data: { name: `${credits} streaming credits` },
      };
      const session = await stripe.checkout.sessions.create(
        {
          mode: 'payment',
          line_items: [{ quantity: 1, price_data: price }],
          client_reference_id: invoiceID,
          // The payment gets the metadata too: a charge has its payment's metadata, which name the invoice.
          metadata,
          payment_intent_data: { metadata },
          // Otherwise users could pay in another currency, at Stripe's rate.
          adaptive_pricing: { enabled: false },
          success_url: `${siteURL}/billing?paid=${invoiceID}`,
          cancel_url: `${siteURL}/billing`,
          expires_at: Math.floor((clock().getTime() + checkoutLifetimeMs) / 1000),
        },
        { idempotencyKey: `checkout ${invoiceID}` },
      );
      if (!session.url) throw new Error('Stripe made a checkout without an address');
      return { url: session.url, expiresAt: new Date(session.expires_at * 1000) };
    },
    readEvent: (body, headers) => readStripeEvent(webhookSecret, body, headers),
  };
}

// Card payments by Stripe Checkout.
import type { PaymentProvider } from './payment.ts';
import { readStripeEvent } from './stripe-events.ts';

export interface StripeOptions {
  readonly apiKey: string;
  /** Of the webhook endpoint: `whsec_…`. */
  readonly webhookSecret: string;
  /** Where Stripe sends the user back to, origin without a trailing slash. */
  readonly siteURL: string;
  readonly clock: () => Date;
  /** Stripe's API, unless told otherwise. */
  readonly api?: { readonly protocol: 'http' | 'https'; readonly host: string; readonly port: number };
}

/** A checkout can be paid for this long; Stripe allows 30 minutes to 24 hours. */
const checkoutLifetimeMs = 60 * 60_000;
/** API Gateway gives up on us after 29 seconds. */
const requestTimeoutMs = 8000;

export function createStripePayment({ apiKey, webhookSecret, siteURL, clock, api }: StripeOptions): PaymentProvider {
  return {
    name: 'stripe',
    async createCheckout({ invoiceID, amountCents, credits }) {
      const { Stripe } = await import('stripe');
      const stripe = new Stripe(apiKey, { timeout: requestTimeoutMs, maxNetworkRetries: 1, telemetry: false, ...api });
      const metadata = { invoiceID };
      const session = await stripe.checkout.sessions.create(
        {
          mode: 'payment',
          line_items: [
            {
              quantity: 1,
              price_data: {
                currency: 'usd',
                unit_amount: amountCents,
                product_data: { name: `${credits} streaming credits` },
              },
            },
          ],
          client_reference_id: invoiceID,
          // On the payment too: charges have it from there, and lead back to the invoice.
          metadata,
          payment_intent_data: { metadata },
          // Another currency would be credited by a rate that is not ours.
          adaptive_pricing: { enabled: false },
          success_url: `${siteURL}/?paid=${invoiceID}`,
          cancel_url: `${siteURL}/`,
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

// Messages of Stripe's webhooks: verified and translated.
import type { Stripe } from 'stripe';
import type { PaymentEvent, PaymentReport, ReversalReport } from '../../domain/billing/payment-reports.ts';
import { CallbackRefused } from './callback-refused.ts';

/** Age in seconds above which a message is refused as a replay. Stripe's libraries have the same default. */
const toleranceSeconds = 300;

/**
 * Event types that a Stripe account has to send (https://docs.stripe.com/api/events/types). Others are accepted and
 * ignored.
 */
export const stripeEventTypes = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'charge.succeeded',
  'charge.updated',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
] as const satisfies readonly Stripe.Event['type'][];

/** @throws {CallbackRefused} if the signature is missing, wrong or too old */
export async function readStripeEvent(webhookSecret: string, body: string, headers: Headers): Promise<PaymentEvent> {
  const signature = headers.get('stripe-signature');
  if (signature === null) throw new CallbackRefused('the message carries no Stripe-Signature');
  // The few requests that need the library load it, so that functions start without it.
  const { Stripe: library } = await import('stripe');
  let event: Stripe.Event;
  try {
    event = library.webhooks.constructEvent(body, signature, webhookSecret, toleranceSeconds);
  } catch {
    throw new CallbackRefused('the signature is not valid for this message, or too old');
  }
  const report = reportOf(event);
  return { id: event.id, reports: report ? [report] : [] };
}

function reportOf(event: Stripe.Event): PaymentReport | null {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      // With a slow method of payment, a checkout can be completed before it is paid.
      return event.data.object.payment_status === 'paid' ? paid(event.data.object) : null;
    case 'checkout.session.async_payment_failed':
      return ended('failed', event.data.object);
    case 'checkout.session.expired':
      return ended('expired', event.data.object);
    case 'charge.succeeded':
    case 'charge.updated':
      return receipt(event.data.object);
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
      return refund(event.data.object);
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.closed':
    case 'charge.dispute.funds_withdrawn':
    case 'charge.dispute.funds_reinstated':
      return dispute(event.data.object);
    default:
      return null;
  }
}

/** Invoice of a payment; null for another payment of the same Stripe account. */
function invoiceOf({ metadata }: { readonly metadata: Stripe.Metadata | null }): string | null {
  return metadata?.['invoiceID'] ?? null;
}

function idOf(reference: string | { readonly id: string } | null): string | null {
  return typeof reference === 'string' || reference === null ? reference : reference.id;
}

function paid(session: Stripe.Checkout.Session): PaymentReport | null {
  const invoiceID = invoiceOf(session);
  if (invoiceID === null || session.amount_total === null) return null;
  const paymentReference = idOf(session.payment_intent);
  return {
    kind: 'paid',
    invoiceID,
    paymentReference,
    amountCents: session.amount_total,
    currency: (session.currency ?? '').toUpperCase(),
  };
}

function ended(kind: 'failed' | 'expired', session: Stripe.Checkout.Session): PaymentReport | null {
  const invoiceID = invoiceOf(session);
  return invoiceID === null ? null : { kind, invoiceID };
}

/** Stripe gives a charge the metadata of its payment. */
function receipt(charge: Stripe.Charge): PaymentReport | null {
  const invoiceID = invoiceOf(charge);
  if (invoiceID === null || !charge.receipt_url) return null;
  return { kind: 'receipt', invoiceID, receiptURL: charge.receipt_url };
}

/** A refund is pending, requires_action, succeeded, failed or canceled (https://docs.stripe.com/api/refunds/object). */
function refund({ id, amount, status, payment_intent }: Stripe.Refund): ReversalReport | null {
  const paymentReference = idOf(payment_intent);
  if (paymentReference === null) return null;
  const isUndone = status === 'failed' || status === 'canceled';
  // A successful refund is not final: the bank can still return it, and then it fails.
  return { kind: 'refund', id, paymentReference, amountCents: amount, taken: !isUndone, final: isUndone };
}

/** See https://docs.stripe.com/api/disputes/object. In the states of a warning no money has been taken yet. */
function dispute({ id, amount, status, payment_intent }: Stripe.Dispute): ReversalReport | null {
  const paymentReference = idOf(payment_intent);
  if (paymentReference === null) return null;
  const taken = status === 'needs_response' || status === 'under_review' || status === 'lost';
  const final = status === 'lost' || status === 'won' || status === 'warning_closed' || status === 'prevented';
  return { kind: 'dispute', id, paymentReference, amountCents: amount, taken, final };
}

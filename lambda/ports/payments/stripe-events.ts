// Reads the messages of Stripe's webhooks: verifies their signature, and translates them.
import type { Stripe } from 'stripe';
import type { PaymentEvent, PaymentReport, ReversalReport } from '../../domain/billing/payment-reports.ts';
import { CallbackRefused } from './callback-refused.ts';

/**
 * Older messages are refused, so that nobody can send one again much later. Stripe's libraries have the same default.
 */
const toleranceSeconds = 300;

/**
 * The types of events that a Stripe account has to send us
 * (https://docs.stripe.com/api/events/types). Others are accepted and mean nothing.
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

/** @throws {CallbackRefused} where the signature is missing, wrong or too old */
export async function readStripeEvent(webhookSecret: string, body: string, headers: Headers): Promise<PaymentEvent> {
  const signature = headers.get('stripe-signature');
  if (signature === null) throw new CallbackRefused('the message carries no Stripe-Signature');
  // The library is loaded here, by the few requests that need it, so that functions start without it.
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
      // By a slow method of payment a checkout can be completed before it is paid.
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

/** The invoice of a payment; null for a payment of the same Stripe account that is for something else. */
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
  // A refund that succeeded is not final: the bank can still return it, and then it is failed.
  return { kind: 'refund', id, paymentReference, amountCents: amount, taken: !isUndone, final: isUndone };
}

/** See https://docs.stripe.com/api/disputes/object. In the states of a warning no money is taken yet. */
function dispute({ id, amount, status, payment_intent }: Stripe.Dispute): ReversalReport | null {
  const paymentReference = idOf(payment_intent);
  if (paymentReference === null) return null;
  const taken = status === 'needs_response' || status === 'under_review' || status === 'lost';
  const final = status === 'lost' || status === 'won' || status === 'warning_closed' || status === 'prevented';
  return { kind: 'dispute', id, paymentReference, amountCents: amount, taken, final };
}

// Stripe's webhook messages: their signature, and what they mean to us.
import type { Stripe } from 'stripe';
import type { PaymentEvent, PaymentReport, ReversalReport } from '../../domain/payment-reports.ts';
import { CallbackRefused } from '../callback-refused.ts';

/** Stripe's own tolerance: an older message, or one sent again by somebody who overheard it, is refused. */
const toleranceSeconds = 300;

/**
 * Where a Stripe account has to send events of these types (https://docs.stripe.com/api/events/types). Others are accepted and mean nothing.
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

/** @throws {CallbackRefused} */
export async function readStripeEvent(webhookSecret: string, body: string, headers: Headers): Promise<PaymentEvent> {
  const signature = headers.get('stripe-signature');
  if (signature === null) throw new CallbackRefused('the message carries no Stripe-Signature');
  // Few requests need it: a start does not wait for it.
  const {
    Stripe: { webhooks },
  } = await import('stripe');
  let event: Stripe.Event;
  try {
    event = webhooks.constructEvent(body, signature, webhookSecret, toleranceSeconds);
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
      // A completed checkout with a slow method of payment is not paid yet.
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

/** Null for what the account sells besides. */
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

/** A charge has the metadata of its payment. */
function receipt(charge: Stripe.Charge): PaymentReport | null {
  const invoiceID = invoiceOf(charge);
  return invoiceID === null || !charge.receipt_url
    ? null
    : { kind: 'receipt', invoiceID, receiptURL: charge.receipt_url };
}

/** https://docs.stripe.com/api/refunds/object: pending, requires_action, succeeded, failed, canceled. */
function refund({ id, amount, status, payment_intent }: Stripe.Refund): ReversalReport | null {
  const paymentReference = idOf(payment_intent);
  if (paymentReference === null) return null;
  const isUndone = status === 'failed' || status === 'canceled';
  // A refund that succeeded can still be returned by the bank, as failed.
  return { kind: 'refund', id, paymentReference, amountCents: amount, taken: !isUndone, final: isUndone };
}

/** https://docs.stripe.com/api/disputes/object: a warning takes no money yet. */
function dispute({ id, amount, status, payment_intent }: Stripe.Dispute): ReversalReport | null {
  const paymentReference = idOf(payment_intent);
  if (paymentReference === null) return null;
  const taken = status === 'needs_response' || status === 'under_review' || status === 'lost';
  const final = status === 'lost' || status === 'won' || status === 'warning_closed' || status === 'prevented';
  return { kind: 'dispute', id, paymentReference, amountCents: amount, taken, final };
}

// States of an invoice, and the effect of payment reports on them, even late, doubled or reordered ones.

export const invoiceStates = ['pending', 'paid', 'cancelled', 'expired', 'refunded'] as const;
export type InvoiceState = (typeof invoiceStates)[number];
export const invoiceTypes = ['credit_purchase', 'free_credits', 'adjustment'] as const;
export type InvoiceType = (typeof invoiceTypes)[number];
export const paymentMethods = ['card', 'crypto', 'grant'] as const;
export type PaymentMethod = (typeof paymentMethods)[number];

/** The smallest top-up by card, in US cents. */
export const smallestTopUpCents = 100;

const transitions = {
  /** Money that arrived is never refused: it pays even a cancelled or expired invoice. */
  paid: { from: ['pending', 'cancelled', 'expired'], to: 'paid' },
  failed: { from: ['pending'], to: 'cancelled' },
  expired: { from: ['pending'], to: 'expired' },
  taken_back: { from: ['paid'], to: 'refunded' },
  given_back: { from: ['refunded'], to: 'paid' },
} as const satisfies Record<string, { readonly from: readonly InvoiceState[]; readonly to: InvoiceState }>;

/** The state after a report; null if the report changes nothing. */
export function nextInvoiceState(state: InvoiceState, report: keyof typeof transitions): InvoiceState | null {
  const { from, to }: { readonly from: readonly InvoiceState[]; readonly to: InvoiceState } = transitions[report];
  return from.includes(state) ? to : null;
}

/** Last report of a refund or dispute. */
export interface ReversalState {
  /** Whether the money was taken from us, temporarily or for good. */
  readonly taken: boolean;
  readonly final: boolean;
}

/** State after one more report, whatever their order: a final state stays, and only a final report returns money. */
export function mergeReversal(known: ReversalState | null, reported: ReversalState): ReversalState {
  if (known?.final || (known?.taken && !reported.final)) return known;
  return reported;
}

/**
 * Credits that refunds and disputes of an invoice take after another one has returned its credits: those that found too
 * little, because the other one held it, take their missing part, the oldest first.
 * @param reversals those that hold credits, oldest first; none holds more than it was reported for
 * @param most credits that the invoice brought
 * @returns each with its new credits and the increase
 */
export function raisedReversals<Of extends { readonly credits: number; readonly amount_cents: number }>(
  reversals: readonly Of[],
  most: number,
): (Of & { readonly more: number })[] {
  let left = most - reversals.reduce((sum, { credits }) => sum + credits, 0);
  return reversals.map((reversal) => {
    const more = Math.min(reversal.amount_cents - reversal.credits, left);
    left -= more;
    return { ...reversal, credits: reversal.credits + more, more };
  });
}

/** Credits for an amount of US dollars, rounded to four decimals. */
export function creditsOfUSD(usd: number): number {
  return Math.round(usd * 100 * 10_000) / 10_000;
}

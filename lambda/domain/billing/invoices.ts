// The states of an invoice, and how reports of payment providers move it, even late, twice, or in another order.

export const invoiceStates = ['pending', 'paid', 'cancelled', 'expired', 'refunded'] as const;
export type InvoiceState = (typeof invoiceStates)[number];
export const invoiceTypes = ['credit_purchase', 'free_credits', 'adjustment'] as const;
export type InvoiceType = (typeof invoiceTypes)[number];
export const paymentMethods = ['card', 'crypto', 'grant'] as const;
export type PaymentMethod = (typeof paymentMethods)[number];

const transitions = {
  /** Money that arrived is never refused: it pays even an invoice that was cancelled or has expired. */
  paid: { from: ['pending', 'cancelled', 'expired'], to: 'paid' },
  failed: { from: ['pending'], to: 'cancelled' },
  expired: { from: ['pending'], to: 'expired' },
  taken_back: { from: ['paid'], to: 'refunded' },
  given_back: { from: ['refunded'], to: 'paid' },
} as const satisfies Record<string, { readonly from: readonly InvoiceState[]; readonly to: InvoiceState }>;

/** The state that a report leads to, or null where the report changes nothing any more. */
export function nextInvoiceState(state: InvoiceState, report: keyof typeof transitions): InvoiceState | null {
  const { from, to }: { readonly from: readonly InvoiceState[]; readonly to: InvoiceState } = transitions[report];
  return from.includes(state) ? to : null;
}

/** A refund or dispute as it was last reported. */
export interface ReversalState {
  /** Whether the money was taken from us, for now or for good. */
  readonly taken: boolean;
  readonly final: boolean;
}

/**
 * What holds after one more report, in whatever order reports come: a final state stays, and only a final report gives
 * money back that was taken.
 */
export function mergeReversal(known: ReversalState | null, reported: ReversalState): ReversalState {
  if (known?.final || (known?.taken && !reported.final)) return known;
  return reported;
}

/**
 * What refunds and disputes of an invoice take back once another one has given its credits back: those that found less
 * than they were for, because the other one held it, take what they lack, the first of them first.
 * @param reversals those that hold credits, the oldest first, none of which holds more than it was reported for
 * @param most the credits that the invoice brought
 * @returns each with the credits that it takes now, and how many more these are
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

/** The credits for an amount of US dollars, rounded to four decimals. One credit is one US cent. */
export function creditsOfUSD(usd: number): number {
  return Math.round(usd * 100 * 10_000) / 10_000;
}

// What a payment provider can report, in our words: adapters translate into it, and nothing else knows their formats.

/** Of a card payment, by the invoice that it pays. `amountCents` is what was really paid. */
export type PaymentReport =
  | {
      readonly kind: 'paid';
      readonly invoiceID: string;
      readonly paymentReference: string | null;
      readonly amountCents: number;
      readonly currency: string;
    }
  | { readonly kind: 'failed' | 'expired'; readonly invoiceID: string }
  | { readonly kind: 'receipt'; readonly invoiceID: string; readonly receiptURL: string }
  | ReversalReport
  | DepositReport;

/** A refund or dispute, by the payment that it is about. A final one is not changed by what is reported after it. */
export interface ReversalReport {
  readonly kind: 'refund' | 'dispute';
  readonly id: string;
  readonly paymentReference: string;
  readonly amountCents: number;
  readonly taken: boolean;
  readonly final: boolean;
}

/** Coins that arrived, or are about to, at a deposit address of ours. */
export interface DepositReport {
  readonly kind: 'deposit';
  /** The same for every report of the same coins. */
  readonly id: string;
  readonly addressID: string;
  readonly state: 'confirming' | 'confirmed' | 'failed';
  /** In units of the currency, as a decimal number. */
  readonly amount: string;
  readonly valueUSD: number;
}

/** One message of a provider, verified. */
export interface PaymentEvent {
  /** Unique for its provider: the same message delivered twice has the same. */
  readonly id: string;
  /** Empty for what does not concern us. */
  readonly reports: readonly PaymentReport[];
}

/** A deposit worth less waits, as a payment of its own is not worth it, and is credited with the next: in credits. */
export const smallestDepositCredits = 1;

// What a payment provider can report, in our words. Each adapter translates its provider's format into these.

/** Reports of a card payment name the invoice that it pays. `amountCents` is what was really paid. */
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

/** A refund or dispute of the payment that it names. Later reports do not change a final one. */
export interface ReversalReport {
  readonly kind: 'refund' | 'dispute';
  readonly id: string;
  readonly paymentReference: string;
  readonly amountCents: number;
  readonly taken: boolean;
  readonly final: boolean;
}

/** Coins that arrived at a deposit address of ours, or are about to arrive. */
export interface DepositReport {
  readonly kind: 'deposit';
  /** All reports of the same coins have the same. */
  readonly id: string;
  readonly addressID: string;
  readonly state: 'confirming' | 'confirmed' | 'failed';
  /** In units of the currency, as a decimal number. */
  readonly amount: string;
  readonly valueUSD: number;
}

/** One message of a provider, whose signature was verified. */
export interface PaymentEvent {
  /** Unique among the provider's messages. A message that is delivered twice has the same twice. */
  readonly id: string;
  /** Empty where the message does not concern us. */
  readonly reports: readonly PaymentReport[];
}

/** In credits. A deposit that is worth less waits, and is credited together with the next one. */
export const smallestDepositCredits = 1;

// Reports of payment providers in our words. Each adapter translates its provider's format into these.

/** A report of a card payment names the invoice that it pays. `amountCents` is the amount really paid. */
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

/** A refund or dispute of a payment. Later reports do not change a final one. */
export interface ReversalReport {
  readonly kind: 'refund' | 'dispute';
  readonly id: string;
  readonly paymentReference: string;
  readonly amountCents: number;
  readonly taken: boolean;
  readonly final: boolean;
}

/** Coins that arrived at one of our deposit addresses, or are about to arrive. */
export interface DepositReport {
  readonly kind: 'deposit';
  /** One id for all reports of the same coins. */
  readonly id: string;
  readonly addressID: string;
  readonly state: 'confirming' | 'confirmed' | 'failed';
  /** In units of the currency, as a decimal number. */
  readonly amount: string;
  readonly valueUSD: number;
}

/** A verified message of a provider. */
export interface PaymentEvent {
  /** Unique among the provider's messages; a redelivered message keeps its id. */
  readonly id: string;
  /** Empty if the message does not concern us. */
  readonly reports: readonly PaymentReport[];
}

/** In credits. A smaller deposit waits, and is credited together with the next one. */
export const smallestDepositCredits = 1;

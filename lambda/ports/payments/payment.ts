// Port of card payments: links to pay for credits, and signed messages about these payments.
import type { PaymentEvent } from '../../domain/billing/payment-reports.ts';
import { CallbackRefused } from './callback-refused.ts';

export interface Checkout {
  /** Named by every message about the payment. A second call with the same id creates no second checkout. */
  readonly invoiceID: string;
  /** US cents. */
  readonly amountCents: number;
  readonly credits: number;
}

export interface CheckoutLink {
  /** Page on which the user pays. */
  readonly url: string;
  /** End of the time in which the user can pay there. */
  readonly expiresAt: Date;
}

export interface PaymentProvider {
  readonly name: string;
  /** @throws {Error} if the provider is unreachable or refuses */
  createCheckout(checkout: Checkout): Promise<CheckoutLink>;
  /**
   * Verifies and translates a message of the provider.
   * @param body exactly as received
   * @throws {CallbackRefused} if the signature is missing, wrong or older than five minutes
   */
  readEvent(body: string, headers: Headers): Promise<PaymentEvent>;
}

/** Provider of a stage that configures none: no payment is possible. */
export const noPaymentProvider: PaymentProvider = {
  name: 'none',
  createCheckout: () => Promise.reject(new Error('no payment provider is configured')),
  readEvent: () => Promise.reject(new CallbackRefused('no payment provider is configured')),
};

// The payment port: checkout links for card top-ups, and signed messages about what became of them.
import type { PaymentEvent } from '../../domain/payment-reports.ts';
import { CallbackRefused } from '../callback-refused.ts';

export interface Checkout {
  /** Goes with the payment and comes back with every message about it. The same id asked for again makes no second checkout. */
  readonly invoiceID: string;
  /** US cents. */
  readonly amountCents: number;
  readonly credits: number;
}

export interface CheckoutLink {
  /** Where the user pays. */
  readonly url: string;
  /** After that nothing can be paid there. */
  readonly expiresAt: Date;
}

export interface PaymentProvider {
  readonly name: string;
  /** @throws when the provider cannot be reached or refuses */
  createCheckout(checkout: Checkout): Promise<CheckoutLink>;
  /**
   * Verifies and translates a message.
   * @param body exactly as received
   * @throws {CallbackRefused} for a signature that is missing, wrong or older than five minutes
   */
  readEvent(body: string, headers: Headers): Promise<PaymentEvent>;
}

/** Stands in where no provider is configured. */
export const noPaymentProvider: PaymentProvider = {
  name: 'none',
  createCheckout: () => Promise.reject(new Error('no payment provider is configured')),
  readEvent: () => Promise.reject(new CallbackRefused('no payment provider is configured')),
};

// The payment port: links to pay for credits by card, and signed messages about these payments.
import type { PaymentEvent } from '../../domain/billing/payment-reports.ts';
import { CallbackRefused } from './callback-refused.ts';

export interface Checkout {
  /** Every message about the payment names it. A second call with the same id makes no second checkout. */
  readonly invoiceID: string;
  /** US cents. */
  readonly amountCents: number;
  readonly credits: number;
}

export interface CheckoutLink {
  /** Where the user pays. */
  readonly url: string;
  /** After this time the user cannot pay there any more. */
  readonly expiresAt: Date;
}

export interface PaymentProvider {
  readonly name: string;
  /** @throws where the provider cannot be reached or refuses */
  createCheckout(checkout: Checkout): Promise<CheckoutLink>;
  /**
   * Verifies and translates a message of the provider.
   * @param body exactly as received
   * @throws {CallbackRefused} where the signature is missing, wrong or older than five minutes
   */
  readEvent(body: string, headers: Headers): Promise<PaymentEvent>;
}

/** The provider where none is configured: nobody can pay. */
export const noPaymentProvider: PaymentProvider = {
  name: 'none',
  createCheckout: () => Promise.reject(new Error('no payment provider is configured')),
  readEvent: () => Promise.reject(new CallbackRefused('no payment provider is configured')),
};

// The crypto processor port: currencies with their rates, deposit addresses, and signed messages about deposits.
import type { CryptoCurrency } from '../../domain/crypto-currency.ts';
import type { PaymentEvent } from '../../domain/payment-reports.ts';
import { CallbackRefused } from '../callback-refused.ts';

export interface DepositAddress {
  readonly address: string;
  /** What a payment has to carry besides, on networks that have it. */
  readonly memo: string | null;
}

export interface CryptoProcessor {
  readonly name: string;
  /** Those that can be paid with now. @throws when the processor does not answer */
  currencies(): Promise<CryptoCurrency[]>;
  /**
   * Makes an address that stays. Every message about a deposit there names `addressID`.
   * @throws when the processor does not answer
   */
  createAddress(
    addressID: string,
    currency: Pick<CryptoCurrency, 'id' | 'symbol' | 'network'>,
  ): Promise<DepositAddress>;
  /**
   * Verifies and translates a message.
   * @param body exactly as received
   * @throws {CallbackRefused} for a signature that is missing or wrong
   */
  readEvent(body: string, headers: Headers): PaymentEvent;
}

/** Stands in where no processor is configured: there is nothing to pay with. */
export const noCryptoProcessor: CryptoProcessor = {
  name: 'none',
  currencies: () => Promise.resolve([]),
  createAddress: () => Promise.reject(new Error('no crypto processor is configured')),
  readEvent: () => {
    throw new CallbackRefused('no crypto processor is configured');
  },
};

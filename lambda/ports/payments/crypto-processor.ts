// The crypto processor port: currencies with their rates, deposit addresses, and signed messages about deposits.
import type { CryptoCurrency } from '../../domain/billing/crypto-currency.ts';
import type { PaymentEvent } from '../../domain/billing/payment-reports.ts';
import { CallbackRefused } from './callback-refused.ts';

export interface DepositAddress {
  readonly address: string;
  /** The memo that a payment has to carry, on networks with memos; else null. */
  readonly memo: string | null;
}

export interface CryptoProcessor {
  readonly name: string;
  /** The currencies that users can pay with now. @throws where the processor does not answer */
  currencies(): Promise<CryptoCurrency[]>;
  /**
   * Makes an address that stays valid. Every message about a deposit there names `addressID`.
   * @throws where the processor does not answer
   */
  createAddress(
    addressID: string,
    currency: Pick<CryptoCurrency, 'id' | 'symbol' | 'network'>,
  ): Promise<DepositAddress>;
  /**
   * Verifies and translates a message of the processor.
   * @param body exactly as received
   * @throws {CallbackRefused} where the signature is missing or wrong
   */
  readEvent(body: string, headers: Headers): PaymentEvent;
}

/** The processor where none is configured: it has no currencies. */
export const noCryptoProcessor: CryptoProcessor = {
  name: 'none',
  currencies: () => Promise.resolve([]),
  createAddress: () => Promise.reject(new Error('no crypto processor is configured')),
  readEvent: () => {
    throw new CallbackRefused('no crypto processor is configured');
  },
};

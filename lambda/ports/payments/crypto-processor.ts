// Port of the crypto processor: currencies with their rates, deposit addresses, and signed messages about deposits.
import type { CryptoCurrency } from '../../domain/billing/crypto-currency.ts';
import type { PaymentEvent } from '../../domain/billing/payment-reports.ts';
import { CallbackRefused } from './callback-refused.ts';

export interface DepositAddress {
  readonly address: string;
  /** Memo that a payment has to carry, on networks with memos; else null. */
  readonly memo: string | null;
}

export interface CryptoProcessor {
  readonly name: string;
  /** Currencies that users can pay with now. @throws {Error} if the processor does not answer */
  currencies(): Promise<CryptoCurrency[]>;
  /**
   * Creates an address that stays valid. Every message about a deposit there names `addressID`.
   * @throws {Error} if the processor does not answer
   */
  createAddress(
    addressID: string,
    currency: Pick<CryptoCurrency, 'id' | 'symbol' | 'network'>,
  ): Promise<DepositAddress>;
  /**
   * Verifies and translates a message of the processor.
   * @param body exactly as received
   * @throws {CallbackRefused} if the signature is missing or wrong
   */
  readEvent(body: string, headers: Headers): PaymentEvent;
}

/** Processor of a stage that configures none: it has no currencies. */
export const noCryptoProcessor: CryptoProcessor = {
  name: 'none',
  currencies: () => Promise.resolve([]),
  createAddress: () => Promise.reject(new Error('no crypto processor is configured')),
  readEvent: () => {
    throw new CallbackRefused('no crypto processor is configured');
  },
};

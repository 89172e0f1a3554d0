// Crypto payments on one machine: invented addresses, fixed rates, and test deposits.
// Deposits are reported by messages like those of OxaPay, with a signature like OxaPay's.
import { coins } from './coins.ts';
import type { CryptoProcessor } from './crypto-processor.ts';
import { readOxapayEvent, signOxapayMessage } from './oxapay-callbacks.ts';

/** Invented rates. */
const ratesUSD: Readonly<Record<string, number>> = {
  BTC: 95_000,
  LTC: 100,
  DOGE: 0.25,
  ETH: 3400,
  BNB: 650,
  POL: 0.5,
  SOL: 190,
  TRX: 0.25,
  USDT: 1,
  USDC: 1,
  DAI: 1,
};

export interface TestDeposit {
  readonly address: string;
  /** In units of the currency. */
  readonly amount: number;
  /** Name of the transaction. Two deposits with the same name are the same deposit. */
  readonly transaction: string;
  readonly status: 'confirming' | 'confirmed' | 'failed';
}

export interface LocalCryptoProcessor extends CryptoProcessor {
  /** The processor's message about a deposit; null for an unknown address. */
  messageOf(deposit: TestDeposit): { readonly body: string; readonly headers: Readonly<Record<string, string>> } | null;
}

export function createLocalCryptoProcessor(merchantKey: string): LocalCryptoProcessor {
  return {
    name: 'local',
    async currencies() {
      return coins.map(({ isStable: _isStable, ...coin }) => ({ ...coin, rateUSD: ratesUSD[coin.symbol]! }));
    },
    createAddress: (addressID, { symbol, network }) =>
      Promise.resolve({ address: `test-${symbol}-${network}-${addressID}`, memo: null }),
    messageOf({ address, amount, transaction, status }) {
      const [, symbol, network, addressID] = /^test-(\w+)-(\w+)-(.+)$/.exec(address) ?? [];
      const coin = coins.find((known) => known.symbol === symbol && known.network === network);
      if (!coin) return null;
      const rate = ratesUSD[coin.symbol]!;
      const tx = {
        tx_hash: transaction,
        status,
        received_amount: amount,
        value: Math.round(amount * rate * 1e4) / 1e4,
        rate,
        currency: coin.symbol,
        network: coin.network,
      };
      const body = JSON.stringify({
        type: 'static_address',
        status: status === 'confirmed' ? 'Paid' : 'Paying',
        order_id: addressID,
        txs: [tx],
      });
      return { body, headers: { hmac: signOxapayMessage(merchantKey, body) } };
    },
    readEvent: (body, headers) => readOxapayEvent(merchantKey, body, headers),
  };
}

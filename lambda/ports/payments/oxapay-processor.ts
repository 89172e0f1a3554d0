// Crypto payments by OxaPay, at static addresses of a merchant account.
import * as z from 'zod';
import { coins } from './coins.ts';
import type { CryptoProcessor } from './crypto-processor.ts';
import { readOxapayEvent } from './oxapay-callbacks.ts';

export interface OxapayOptions {
  readonly merchantKey: string;
  /** Address that OxaPay sends its messages to. */
  readonly callbackURL: string;
  /** Default: the API of OxaPay. */
  readonly apiURL?: string;
}

const requestTimeoutMs = 8000;

/** Our code of each network, with words to look for among OxaPay's `keys` of the network. */
const keysOfNetworks: Readonly<Record<string, readonly string[]>> = {
  BTC: ['bitcoin', 'btc'],
  LTC: ['litecoin', 'ltc'],
  DOGE: ['dogecoin', 'doge'],
  ERC20: ['ethereum', 'erc20'],
  BEP20: ['bsc', 'bep20'],
  POL: ['polygon', 'pol'],
  BASE: ['base'],
  SOL: ['solana', 'sol'],
  TRC20: ['tron', 'trc20'],
};

/** See https://docs.oxapay.com/api-reference/common */
const listedCurrencies = z.record(
  z.string(),
  z.object({
    status: z.boolean(),
    networks: z.record(z.string(), z.object({ network: z.string(), keys: z.array(z.string()) })),
  }),
);
const listedPrices = z.record(z.string(), z.coerce.number());
const madeAddress = z.object({ address: z.string().min(1), memo: z.string().nullish() });

export function createOxapayProcessor({
  merchantKey,
  callbackURL,
  apiURL = 'https://api.oxapay.com/v1',
}: OxapayOptions): CryptoProcessor {
  const request = async <Schema extends z.ZodType>(
    schema: Schema,
    path: string,
    body?: object,
  ): Promise<z.output<Schema>> => {
    const response = await fetch(apiURL + path, {
      method: body ? 'POST' : 'GET',
      headers: { merchant_api_key: merchantKey, 'content-type': 'application/json' },
      body: body ? JSON.stringify(body) : null,
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
    const answer = (await response.json()) as { status?: number; data?: unknown; error?: { key?: string } };
    if (!response.ok || answer.status !== 200)
      throw new Error(`OxaPay answered ${path} with ${answer.status ?? response.status} ${answer.error?.key ?? ''}`);
    return schema.parse(answer.data);
  };
  /** OxaPay's name of one of our networks; null if OxaPay does not take the coin there. */
  const findNetwork = (listed: z.output<typeof listedCurrencies>, symbol: string, network: string): string | null => {
    const currency = listed[symbol];
    if (!currency?.status) return null;
    const words = keysOfNetworks[network] ?? [];
    const isNetwork = ({ keys }: { keys: string[] }) => keys.some((key) => words.includes(key.toLowerCase()));
    return Object.values(currency.networks).find(isNetwork)?.network ?? null;
  };

  return {
    name: 'oxapay',
    async currencies() {
      const [listed, prices] = await Promise.all([
        request(listedCurrencies, '/common/currencies'),
        request(listedPrices, '/common/prices'),
      ]);
      return coins.flatMap(({ isStable, ...coin }) => {
        const rateUSD = isStable ? 1 : prices[coin.symbol];
        const isTaken = rateUSD !== undefined && findNetwork(listed, coin.symbol, coin.network) !== null;
        return isTaken ? [{ ...coin, rateUSD }] : [];
      });
    },
    async createAddress(addressID, { symbol, network }) {
      const listed = await request(listedCurrencies, '/common/currencies');
      const vendorNetwork = findNetwork(listed, symbol, network);
      if (vendorNetwork === null) throw new Error(`OxaPay does not take ${symbol} on ${network} any more`);
      const body = { network: vendorNetwork, callback_url: callbackURL, order_id: addressID };
      const { address, memo } = await request(madeAddress, '/payment/static-address', body);
      return { address, memo: memo || null };
    },
    readEvent: (body, headers) => readOxapayEvent(merchantKey, body, headers),
  };
}

// GET /crypto/currencies: the cryptocurrencies that can pay for credits.
import * as z from 'zod';
import { transferKinds } from '../../domain/billing/crypto-currency.ts';
import { timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { listedCurrencies } from './currency-list.ts';

export const currencySchema = z
  .object({
    id: z.string().describe('Symbol, or symbol and network in parentheses. URL-encode the ID in paths.'),
    name: z.string(),
    symbol: z.string(),
    network: z.string().describe('A payment on another network is lost.'),
    decimals: z.int32(),
    icon: z.string().describe('URL of an SVG icon.'),
    rateUSD: z
      .number()
      .describe(
        'Price of one unit in US dollars; 1 for stablecoins. A deposit is credited at the rate at its arrival.',
      ),
    rateAt: timestamp.describe('Time when the rate was fetched.'),
    transferKind: z.enum(transferKinds).describe('Kind of transaction that makes the payment.'),
    chainId: z
      .int()
      .nullable()
      .describe('ID of the EVM chain to switch to before signing. null: the currency is not on an EVM chain.'),
    contractAddress: z.string().nullable().describe('Address of the token contract or mint. null: a native coin.'),
  })
  .meta({ id: 'CryptoCurrency' });

export const listCryptoCurrencies = operation(['service:read'], {
  summary: 'List crypto currencies',
  description:
    'Returns the supported currencies with their rates. Rates are at most five minutes old, or one hour while the ' +
    'payment processor does not answer.',
  tag: 'crypto',
  route: 'GET /crypto/currencies',
  output: { status: 200, body: z.array(currencySchema) },
  handle: (ctx) => listedCurrencies(ctx),
});

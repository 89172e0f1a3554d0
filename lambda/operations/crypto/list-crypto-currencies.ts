// GET /crypto/currencies: the currencies that credits can be paid with, besides cards.
import * as z from 'zod';
import { transferKinds } from '../../domain/billing/crypto-currency.ts';
import { timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { listedCurrencies } from './currency-list.ts';

export const currencySchema = z
  .object({
    id: z.string().describe('Symbol, or symbol and network in parentheses. URL-encode it in paths.'),
    name: z.string(),
    symbol: z.string(),
    network: z.string().describe('A payment on another network is lost.'),
    decimals: z.int32(),
    icon: z.string().describe('URL of an SVG.'),
    rateUSD: z
      .number()
      .describe(
        'Price of one unit in US dollars; 1 for stablecoins. A deposit is credited by the rate at which it arrives.',
      ),
    rateAt: timestamp.describe('When the rate was fetched.'),
    transferKind: z.enum(transferKinds).describe('How to build the payment transaction.'),
    chainId: z.int().nullable().describe('EVM chain to switch to before signing; null for other chains.'),
    contractAddress: z.string().nullable().describe('Token contract or mint; null for native coins.'),
  })
  .meta({ id: 'CryptoCurrency' });

export const listCryptoCurrencies = operation(['service:read'], {
  id: 'listCryptoCurrencies',
  summary: 'List crypto currencies',
  description: 'Rates are at most five minutes old, or an hour while the processor does not answer.',
  tag: 'crypto',
  method: 'GET',
  path: '/crypto/currencies',
  output: { status: 200, body: z.array(currencySchema) },
  errors: [],
  handle: (ctx) => listedCurrencies(ctx),
});

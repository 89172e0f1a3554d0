// GET /crypto/currencies/{id}/deposit-address: the user's address for deposits. The first call creates it.
import * as z from 'zod';
import type { CryptoCurrency } from '../../domain/billing/crypto-currency.ts';
import type { Context } from '../context.ts';
import { fieldProblem } from '../field-problems.ts';
import { timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';
import { listedCurrencies } from './currency-list.ts';

export const depositAddressSchema = z
  .object({
    currencyID: z.string(),
    address: z.string(),
    network: z.string(),
    memo: z
      .string()
      .nullable()
      .describe('Memo that a payment must include. A payment without it is lost. null: no memo is needed.'),
    createdAt: timestamp,
  })
  .meta({ id: 'DepositAddress' });

export const getCryptoDepositAddress = operation(['service:billing'], {
  summary: 'Get a crypto deposit address',
  description:
    'Returns the address for deposits in this currency. Send any amount, any number of times: each deposit is ' +
    'credited once it is confirmed. The address never changes.',
  tag: 'crypto',
  route: 'GET /crypto/currencies/{id}/deposit-address',
  params: { id: z.string().describe('ID from list_crypto_currencies, URL-encoded in the path.') },
  output: { status: 200, body: depositAddressSchema },
  errors: ['unknown_currency'],
  async handle(ctx, { params }) {
    const currency = (await listedCurrencies(ctx)).find(({ id }) => id === params.id);
    if (!currency)
      throw fieldProblem(
        'path/id',
        'This currency does not exist. Use an ID from list_crypto_currencies, URL-encoded.',
        'unknown_currency',
      );
    const { network } = currency;
    const ensured = await ctx.data.cryptoDeposits.ensureAddress({
      id: ctx.newID('adr'),
      user_id: ctx.caller.userID,
      currency_id: currency.id,
      network,
    });
    const known = ensured.address === null ? await makeAddress(ctx, ensured.id, currency) : ensured;
    const { address, memo, created_at: createdAt } = known;
    return { currencyID: currency.id, address: address!, network, memo, createdAt };
  },
});

async function makeAddress(ctx: Context, addressID: string, currency: CryptoCurrency) {
  const made = await ctx.crypto.createAddress(addressID, currency).catch((cause: unknown) => {
    const detail = 'The crypto processor did not answer. Try again in a moment.';
    throw new ProblemError('upstream_unavailable', detail, { cause });
  });
  return ctx.data.cryptoDeposits.fixAddress(addressID, made);
}

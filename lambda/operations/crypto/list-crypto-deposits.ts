// GET /crypto/deposits: the caller's deposits, newest first.
import * as z from 'zod';
import { timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { shownColumns } from '../shown-columns.ts';

const mostListed = 100;

export const depositSchema = z
  .object({
    id: z.string(),
    currencyID: z.string(),
    network: z.string(),
    state: z.enum(['confirming', 'confirmed', 'failed']),
    amount: z.number().describe('Amount in units of the currency.'),
    valueUSD: z.number(),
    invoiceID: z
      .string()
      .nullable()
      .describe('ID of the invoice that credits the deposit. null: the amount is too small to be credited alone.'),
    updatedAt: timestamp,
  })
  .meta({ id: 'CryptoDeposit' });

export const listCryptoDeposits = operation(['service:billing'], {
  summary: 'List crypto deposits',
  description: `Returns the last ${mostListed} deposits.`,
  tag: 'crypto',
  route: 'GET /crypto/deposits',
  output: { status: 200, body: z.array(depositSchema) },
  async handle(ctx) {
    const deposits = await ctx.data.cryptoDeposits.ofUser(ctx.caller.userID, mostListed);
    return deposits.map((each) => shownColumns(depositSchema, each));
  },
});

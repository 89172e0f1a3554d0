// GET /crypto/currencies/{id}/deposit-address: where to send coins, made at the first call and the same ever after.
import * as z from 'zod';
import { timestamp } from '../fields.ts';
import { operation } from '../operation.ts';
import { ProblemError } from '../problem-codes.ts';
import { listedCurrencies } from './currency-list.ts';

const depositAddress = z
  .object({
    currencyID: z.string(),
    address: z.string(),
    network: z.string(),
    memo: z.string().nullable().describe('If it is not null, a payment without it is lost.'),
    createdAt: timestamp,
  })
  .meta({ id: 'DepositAddress' });

export const getCryptoDepositAddress = operation(['service:billing'], {
  id: 'getCryptoDepositAddress',
  summary: 'Get a crypto deposit address',
  description:
    'Any amount, any number of times: each deposit is credited by itself once it is confirmed. The address stays yours for ever.',
  tag: 'crypto',
  method: 'GET',
  path: '/crypto/currencies/{id}/deposit-address',
  params: { id: z.string().describe('Of list_crypto_currencies; in a path URL-encoded.') },
  output: { status: 200, body: depositAddress },
  errors: ['unknown_currency'],
  async handle(ctx, { params }) {
    const currency = (await listedCurrencies(ctx)).find(({ id }) => id === params.id);
    if (!currency) {
      const detail = 'There is no such currency. Take an id from list_crypto_currencies, URL-encoded.';
      throw new ProblemError('unknown_currency', detail, {
        errors: [{ path: '/path/id', code: 'unknown_currency', detail }],
      });
    }
    const { network } = currency;
    const known = await ctx.data.crypto.ensureAddress({
      id: ctx.newID('adr'),
      user_id: ctx.caller.userID,
      currency_id: currency.id,
      network,
    });
    const {
      address,
      memo,
      created_at: createdAt,
    } = known.address === null ? await ctx.data.crypto.fixAddress(known.id, await make(known.id)) : known;
    return { currencyID: currency.id, address: address!, network, memo, createdAt };

    function make(addressID: string) {
      return ctx.crypto.createAddress(addressID, currency!).catch((cause: unknown) => {
        throw new ProblemError('upstream_unavailable', 'The crypto processor did not answer. Try again in a moment.', {
          cause,
        });
      });
    }
  },
});

// The currencies that can be paid with: the processor's list, kept for a while.
import { currenciesFreshMs, currenciesUsableMs } from '../../domain/crypto-currency.ts';
import type { CryptoCurrency } from '../../domain/crypto-currency.ts';
import type { Context } from '../context.ts';
import { ProblemError } from '../problem-codes.ts';

export interface ListedCurrency extends CryptoCurrency {
  readonly rateAt: Date;
}

/** The list as last fetched, fetched anew when it is old. While the processor is away an older list serves, but not for ever: rates move. */
export async function listedCurrencies(ctx: Pick<Context, 'data' | 'crypto' | 'now'>): Promise<ListedCurrency[]> {
  const kept = await readKept(ctx);
  if (kept.ageMs < currenciesFreshMs) return kept.currencies;
  try {
    await ctx.data.crypto.saveList(await ctx.crypto.currencies());
  } catch (cause) {
    if (kept.ageMs < currenciesUsableMs) return kept.currencies;
    throw new ProblemError('upstream_unavailable', 'The crypto processor did not answer. Try again in a moment.', {
      cause,
    });
  }
  return (await readKept(ctx)).currencies;
}

async function readKept({
  data,
  now,
}: Pick<Context, 'data' | 'now'>): Promise<{ ageMs: number; currencies: ListedCurrency[] }> {
  const rows = await data.crypto.listed();
  const currencies = rows.map(({ currency, age_ms: ageMs }) => ({
    ...currency,
    rateAt: new Date(now.getTime() - ageMs),
  }));
  return { ageMs: Math.max(...rows.map((row) => row.age_ms), rows.length === 0 ? Infinity : 0), currencies };
}

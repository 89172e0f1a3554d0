// The cryptocurrencies that users can pay with: the list of the payment processor, cached in the database.
import { currenciesFreshMs, currenciesUsableMs } from '../../domain/billing/crypto-currency.ts';
import type { CryptoCurrency } from '../../domain/billing/crypto-currency.ts';
import type { Context } from '../context.ts';
import { ProblemError } from '../problem-codes.ts';

export interface ListedCurrency extends CryptoCurrency {
  readonly rateAt: Date;
}

/**
 * Returns the stored list, or a new one if the stored list is old. If the processor does not answer, an older list is
 * used for a limited time, because rates change.
 * @throws {ProblemError} upstream_unavailable if the processor does not answer and the stored list is too old
 */
export async function listedCurrencies(ctx: Pick<Context, 'data' | 'crypto' | 'now'>): Promise<ListedCurrency[]> {
  const kept = await readKept(ctx);
  if (kept.ageMs < currenciesFreshMs) return kept.currencies;
  try {
    await ctx.data.cryptoDeposits.saveList(await ctx.crypto.currencies());
  } catch (cause) {
    if (kept.ageMs < currenciesUsableMs) return kept.currencies;
    const detail = 'The crypto processor did not answer. Try again in a moment.';
    throw new ProblemError('upstream_unavailable', detail, { cause });
  }
  return (await readKept(ctx)).currencies;
}

interface KeptList {
  /** Age of the oldest row. Infinity for an empty list. */
  readonly ageMs: number;
  readonly currencies: ListedCurrency[];
}

async function readKept({ data, now }: Pick<Context, 'data' | 'now'>): Promise<KeptList> {
  const rows = await data.cryptoDeposits.listed();
  const currencies = rows.map(({ currency, age_ms: ageMs }) => ({
    ...currency,
    rateAt: new Date(now.getTime() - ageMs),
  }));
  const ageMs = rows.length === 0 ? Infinity : Math.max(0, ...rows.map((row) => row.age_ms));
  return { ageMs, currencies };
}

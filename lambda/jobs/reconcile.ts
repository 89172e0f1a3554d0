// The daily proof of the books.
import type { Pool } from 'pg';
import { databaseOn } from '../data/database.ts';
import type { Log } from '../log.ts';

/** A difference is never mended by itself: somebody has to understand it first. */
export class BooksDiffer extends Error {
  override readonly name = 'BooksDiffer';
}

/**
 * Proves, user by user, that ledger, live intervals and invoices say the same, and logs every difference.
 * @throws {BooksDiffer} which is what the alarm is for
 */
export async function reconcile(pool: Pool, log: Log): Promise<void> {
  const differences = await databaseOn(pool).reconciliation.differences();
  for (const difference of differences) log('books_differ', { ...difference });
  if (differences.length > 0) throw new BooksDiffer(`the books differ in ${differences.length} places`);
  log('books_reconciled', {});
}

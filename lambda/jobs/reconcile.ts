// Checks every day that the books agree.
import type { Pool } from 'pg';
import { inTransaction } from '../data/database.ts';
import type { Log } from '../log.ts';

/** The books differ. Nothing corrects them automatically: an operator has to understand the difference first. */
export class BooksDiffer extends Error {
  override readonly name = 'BooksDiffer';
}

/**
 * Checks for each user that the ledger, the live intervals and the invoices agree, and logs every difference.
 * @throws {BooksDiffer} so that the function fails and its alarm is raised
 */
export async function reconcile(pool: Pool, log: Log): Promise<void> {
  // Its one statement reads all books, and may take as long as those of transactions.
  const differences = await inTransaction(pool, (data) => data.reconciliation.differences());
  for (const difference of differences) log('books_differ', { ...difference });
  if (differences.length > 0) throw new BooksDiffer(`the books differ in ${differences.length} places`);
  log('books_reconciled', {});
}

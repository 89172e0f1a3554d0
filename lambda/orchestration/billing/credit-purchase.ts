// Books money that has arrived, as the credits of its invoice.
import type { Invoice } from '../../data/billing/invoices.ts';
import type { Database } from '../../data/database.ts';
import { reassess } from './meter.ts';

/** A message of a provider cannot be applied, for now or for ever. It stays stored, together with this reason. */
export class Inapplicable extends Error {
  override readonly name = 'Inapplicable';
}

/**
 * Locks the account of an invoice and reads the invoice again, which another process may have changed before the lock.
 * @param invoice as it was found without a lock, or null where none was found
 * @throws {Inapplicable} where none was found
 */
export async function lockInvoice(data: Database, invoice: Invoice | null): Promise<Invoice> {
  if (!invoice) throw new Inapplicable('there is no invoice of this payment');
  await data.creditAccounts.lock(invoice.user_id);
  return (await data.invoices.find(invoice.id))!;
}

/** What was really paid, which may differ from what the invoice asked for. */
export interface Payment {
  /** US dollars. */
  readonly cost: number;
  readonly credits: number;
  readonly paymentReference: string | null;
  readonly at: Date;
}

/** Books a payment. The caller has locked the account, and the invoice is not paid yet. */
export async function creditPurchase(
  data: Database,
  { id, user_id: userID }: Pick<Invoice, 'id' | 'user_id'>,
  payment: Payment,
): Promise<void> {
  const { credits, at } = payment;
  await data.invoices.markPaid(id, payment);
  await data.ledger.add({ userID, cause: 'purchase', reference: id, credits, account: 'sales', at }, id);
  await data.ledger.payDebt(userID, id, `purchase/${id}`, at);
  await reassess(data, userID, at);
}

// Posts a received payment as the credits of its invoice.
import type { Invoice } from '../../data/billing/invoices.ts';
import type { Database } from '../../data/database.ts';
import { reassess } from './meter.ts';

/** A message of a provider that cannot be applied, now or ever. It stays stored with this reason, and rests. */
export class Inapplicable extends Error {
  override readonly name = 'Inapplicable';
}

/**
 * Locks the account of an invoice and reads the invoice again, as another process may have changed it before the lock.
 * @param invoice as it was found without a lock; null: not found
 * @throws {Inapplicable} if it was not found
 */
export async function lockInvoice(data: Database, invoice: Invoice | null): Promise<Invoice> {
  if (!invoice) throw new Inapplicable('there is no invoice of this payment');
  await data.creditAccounts.lock(invoice.user_id);
  return (await data.invoices.find(invoice.id))!;
}

/** The amounts that were paid. They may differ from those of the invoice. */
export interface Payment {
  /** US dollars. */
  readonly cost: number;
  readonly credits: number;
  readonly paymentReference: string | null;
  readonly at: Date;
}

/** Posts a payment of an unpaid invoice. Lock the account first. */
export async function creditPurchase(
  data: Database,
  { id, user_id: userID }: Pick<Invoice, 'id' | 'user_id'>,
  payment: Payment,
): Promise<void> {
  const { credits, at } = payment;
  await data.invoices.markPaid(id, payment);
  await data.ledger.add({ userID, cause: 'purchase', reference: id, credits, account: 'sales', at }, id);
  await data.ledger.payDebt(userID, id, `purchase/${id}`, at);
  await data.replicaClaims.markFunded(userID);
  await reassess(data, userID, at);
}

// Books money that has arrived as credits of its invoice.
import type { Invoice } from '../data/billing.ts';
import type { Database } from '../data/database.ts';
import { reassess } from './meter.ts';

/** A message that cannot be applied, for now or for good: it waits, and the reason stands with it. */
export class Inapplicable extends Error {
  override readonly name = 'Inapplicable';
}

/**
 * The invoice, read again once its account is locked: it may have been another's turn meanwhile.
 * @throws {Inapplicable} without one
 */
export async function lockInvoice(data: Database, invoice: Invoice | null): Promise<Invoice> {
  if (!invoice) throw new Inapplicable('there is no invoice of this payment');
  await data.billing.lockAccount(invoice.user_id);
  return (await data.billing.find(invoice.id))!;
}

/** What was really paid, which is what counts. */
export interface Payment {
  /** US dollars. */
  readonly cost: number;
  readonly credits: number;
  readonly paymentReference: string | null;
  readonly at: Date;
}

/** The caller has locked the account, and the invoice is not paid yet. */
export async function creditPurchase(
  data: Database,
  { id, user_id: userID }: Pick<Invoice, 'id' | 'user_id'>,
  payment: Payment,
): Promise<void> {
  const { credits, at } = payment;
  await data.billing.markPaid(id, payment);
  await data.ledger.add({ userID, cause: 'purchase', reference: id, credits, account: 'sales', at }, id);
  await data.ledger.payDebt(userID, id, `purchase/${id}`, at);
  await reassess(data, userID, at);
}

// SQL of invoices and what is left of the credits that came in by them.
import { one } from './queryable.ts';
import type { Queryable } from './queryable.ts';

export interface NewInvoice {
  readonly id: string;
  readonly userID: string;
  readonly type: 'credit_purchase' | 'free_credits' | 'adjustment';
  readonly method: 'card' | 'crypto' | 'grant';
  readonly cost: number;
  readonly credits: number;
}

export function billing(db: Queryable) {
  return {
    creditsLeft: async (userID: string) =>
      (await one<{ credits: number }>(
        db,
        `select coalesce(sum(remaining_credits), 0) as credits from invoices where user_id = $1 and state = 'paid'`,
        [userID],
      ))!.credits,

    /** Books a paid invoice once: a second call with the same id changes nothing. */
    ensurePaidInvoice: (invoice: NewInvoice) =>
      db.query(
        `insert into invoices (id, user_id, type, method, state, cost, currency, credits, remaining_credits)
         values ($1, $2, $3, $4, 'paid', $5, 'USD', $6, $6) on conflict (id) do nothing`,
        [invoice.id, invoice.userID, invoice.type, invoice.method, invoice.cost, invoice.credits],
      ),
  };
}

// SQL of the ledger: double entry; rows are only added, and for each cause there is one transaction.
import { one } from './queryable.ts';
import type { Queryable } from './queryable.ts';

export type LedgerCause =
  | 'purchase'
  | 'grant'
  | 'usage'
  | 'debt_paid'
  | 'refund'
  | 'refund_failed'
  | 'dispute'
  | 'dispute_won'
  /** An operator took credits back. */
  | 'taken';

/** The accounts that credits come from and go to, besides those of users. */
export type LedgerAccount = 'sales' | 'grants' | 'usage';

interface Posting {
  readonly userID: string;
  readonly cause: LedgerCause;
  /** The invoice, live interval, refund or dispute that it is about. A cause and a reference are posted once. */
  readonly reference: string;
  /** Nothing is written unless it is above zero. */
  readonly credits: number;
  readonly account: LedgerAccount;
  readonly at: Date;
}

/**
 * The caller has locked the account of the user. Each posting is one statement: whether its transaction is new decides
 * about all the rest of it, and all entries of a transaction have to come at once, which a trigger checks.
 */
export function ledger(db: Queryable) {
  /**
   * SQL of a part: the new transaction, or nothing if it was there. Its parameters are the first five of `valuesOf`.
   */
  const posted = `posted as (
    insert into ledger_transactions (user_id, cause, reference, at) select $1, $2, $3, $4 where $5::numeric > 0
    on conflict (cause, reference) do nothing returning id)`;
  const valuesOf = ({ userID, cause, reference, at, credits, account }: Posting) => [
    userID,
    cause,
    reference,
    at,
    credits,
    account,
  ];

  return {
    /** Adds credits to an invoice. @returns false if this was done before */
    add: async (posting: Posting, invoiceID: string): Promise<boolean> =>
      (await one<{ done: boolean }>(
        db,
        `with ${posted},
         entries as (
           insert into ledger_entries (transaction_id, account, invoice_id, amount)
           select posted.id, side.*
           from posted, (values ('credits', $7, $5::numeric), ($6, null, -$5::numeric)) as side),
         credited as (
           update invoices set remaining_credits = remaining_credits + $5
           from posted where invoices.id = $7)
         select exists (select from posted) as done`,
        [...valuesOf(posting), invoiceID],
      ))!.done,

    /**
     * Takes credits from the user's invoices, the oldest first. What they do not cover is a debt: an invoice of its
     * own, whose remaining credits are below zero.
     * @param firstInvoiceID the invoice to take from before all others
     * @returns false if this was done before
     */
    take: async (posting: Posting, firstInvoiceID: string | null = null): Promise<boolean> =>
      (await one<{ done: boolean }>(
        db,
        `with ${posted},
         -- The user's invoices with credits, each with how many there are in those that are taken from before it.
         purse as (
           select id, remaining_credits,
             sum(remaining_credits) over (order by id is distinct from $7, paid_at, seq) - remaining_credits as before
           from invoices where user_id = $1 and remaining_credits > 0),
         taken as (
           select id as invoice_id, least(remaining_credits, $5 - before) as amount from purse where before < $5),
         debt as (select 'debt_' || $1 as invoice_id, $5 - coalesce(sum(amount), 0) as amount from taken),
         owed as (
           insert into invoices (id, user_id, type, method, state, cost, currency, credits, remaining_credits, paid_at)
           select debt.invoice_id, $1, 'adjustment', 'grant', 'paid', 0, 'USD', 0, -debt.amount, $4
           from posted, debt where debt.amount > 0
           on conflict (id) do update set remaining_credits = invoices.remaining_credits + excluded.remaining_credits),
         used as (
           update invoices set remaining_credits = remaining_credits - taken.amount
           from taken, posted where invoices.id = taken.invoice_id),
         entries as (
           insert into ledger_entries (transaction_id, account, invoice_id, amount)
           select posted.id, side.account, side.invoice_id, side.amount
           from posted, (
             select 'credits' as account, invoice_id, -amount as amount from taken
             union all select 'credits', invoice_id, -amount from debt where amount > 0
             union all select $6, null, $5) as side)
         select exists (select from posted) as done`,
        [...valuesOf(posting), firstInvoiceID],
      ))!.done,

    /** Pays what the user owes, as far as they reach, with the credits that were just added to an invoice. */
    payDebt: (userID: string, invoiceID: string, reference: string, at: Date) =>
      db.query(
        `with moved as (
           select debt.id as debt_id, least(-debt.remaining_credits, purchase.remaining_credits) as amount
           from invoices debt, invoices purchase
           where debt.id = 'debt_' || $1 and debt.remaining_credits < 0
             and purchase.id = $2 and purchase.remaining_credits > 0),
         posted as (
           insert into ledger_transactions (user_id, cause, reference, at)
           select $1, 'debt_paid', $3, $4 from moved returning id),
         entries as (
           insert into ledger_entries (transaction_id, account, invoice_id, amount)
           select posted.id, 'credits', side.id, side.amount
           from posted, moved, lateral (values (moved.debt_id, moved.amount), ($2, -moved.amount)) as side (id, amount))
         update invoices
         set remaining_credits = remaining_credits + case when id = $2 then -moved.amount else moved.amount end
         from moved where id in ($2, moved.debt_id)`,
        [userID, invoiceID, reference, at],
      ),
  };
}

// SQL of the ledger: double entry, only added to, each transaction once for its cause.
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
  | 'dispute_won';

/** Where credits come from and go to, besides their users. */
export type LedgerAccount = 'sales' | 'grants' | 'usage';

interface Posting {
  readonly userID: string;
  readonly cause: LedgerCause;
  /** What it is about: an invoice, a live interval, a refund or a dispute. With the cause it happens once. */
  readonly reference: string;
  /** Above zero, or nothing is written. */
  readonly credits: number;
  readonly account: LedgerAccount;
  readonly at: Date;
}

/** The account of the user has to be locked by the caller for everything but reading. */
export function ledger(db: Queryable) {
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
    /** Adds credits to an invoice. @returns false when this was done before */
    add: async (posting: Posting, invoiceID: string): Promise<boolean> =>
      (await one<{ done: boolean }>(
        db,
        `with ${posted},
         entries as (
           insert into ledger_entries (transaction_id, account, invoice_id, amount)
           select posted.id, side.* from posted, (values ('credits', $7, $5::numeric), ($6, null, -$5::numeric)) as side),
         credited as (
           update invoices set remaining_credits = remaining_credits + $5 from posted where invoices.id = $7)
         select exists (select from posted) as done`,
        [...valuesOf(posting), invoiceID],
      ))!.done,

    /**
     * Takes credits from the user's purchases, oldest first. What they do not cover is a debt: an adjustment below zero.
     * @param firstInvoiceID the one to take from before all others
     * @returns false when this was done before
     */
    take: async (posting: Posting, firstInvoiceID: string | null = null): Promise<boolean> =>
      (await one<{ done: boolean }>(
        db,
        `with ${posted},
         purse as (
           select id, remaining_credits,
             sum(remaining_credits) over (order by id is distinct from $7, paid_at, seq) - remaining_credits as before
           from invoices where user_id = $1 and remaining_credits > 0),
         taken as (select id as invoice_id, least(remaining_credits, $5 - before) as amount from purse where before < $5),
         debt as (select 'debt_' || $1 as invoice_id, $5 - coalesce(sum(amount), 0) as amount from taken),
         owed as (
           insert into invoices (id, user_id, type, method, state, cost, currency, credits, remaining_credits, paid_at)
           select debt.invoice_id, $1, 'adjustment', 'grant', 'paid', 0, 'USD', 0, -debt.amount, $4 from posted, debt where debt.amount > 0
           on conflict (id) do update set remaining_credits = invoices.remaining_credits + excluded.remaining_credits),
         used as (
           update invoices set remaining_credits = remaining_credits - taken.amount from taken, posted where invoices.id = taken.invoice_id),
         entries as (
           insert into ledger_entries (transaction_id, account, invoice_id, amount)
           select posted.id, side.account, side.invoice_id, side.amount from posted, (
             select 'credits' as account, invoice_id, -amount as amount from taken
             union all select 'credits', invoice_id, -amount from debt where amount > 0
             union all select $6, null, $5) as side)
         select exists (select from posted) as done`,
        [...valuesOf(posting), firstInvoiceID],
      ))!.done,

    /** Lets an invoice that credits were just added to pay what the user owes. */
    payDebt: (userID: string, invoiceID: string, reference: string, at: Date) =>
      db.query(
        `with moved as (
           select debt.id as debt_id, least(-debt.remaining_credits, purchase.remaining_credits) as amount
           from invoices debt, invoices purchase
           where debt.id = 'debt_' || $1 and debt.remaining_credits < 0 and purchase.id = $2 and purchase.remaining_credits > 0),
         posted as (
           insert into ledger_transactions (user_id, cause, reference, at) select $1, 'debt_paid', $3, $4 from moved returning id),
         entries as (
           insert into ledger_entries (transaction_id, account, invoice_id, amount)
           select posted.id, 'credits', side.id, side.amount from posted, moved,
             lateral (values (moved.debt_id, moved.amount), ($2, -moved.amount)) as side (id, amount))
         update invoices set remaining_credits = remaining_credits + case when id = $2 then -moved.amount else moved.amount end
         from moved where id in ($2, moved.debt_id)`,
        [userID, invoiceID, reference, at],
      ),
  };
}

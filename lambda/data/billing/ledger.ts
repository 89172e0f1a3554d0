// SQL of the ledger: double entry. Rows are only added, with one transaction per cause and reference.
// Decision D15.
import { one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export type LedgerCause =
  | 'purchase'
  | 'grant'
  | 'usage'
  | 'storage'
  | 'debt_paid'
  | 'refund'
  | 'refund_failed'
  | 'dispute'
  | 'dispute_won'
  /** An operator took credits back. */
  | 'taken';

/** The accounts that credits come from and go to, other than those of users. */
export type LedgerAccount = 'sales' | 'grants' | 'usage';

interface Posting {
  readonly userID: string;
  readonly cause: LedgerCause;
  /**
   * The id of an invoice, refund or dispute, a day of storage, or the id of the first of the live intervals that ended
   * together. A cause and a reference are posted once.
   */
  readonly reference: string;
  /** Nothing is written unless it is above zero. */
  readonly credits: number;
  readonly account: LedgerAccount;
  readonly at: Date;
}

/**
 * Lock the account of the user before a posting. Each posting is one statement: its other rows are written only if its
 * transaction is new, and a trigger checks that all entries of a transaction come at once.
 */
export function ledger(db: Queryable) {
  /**
   * SQL of the new transaction, or of no row if it exists. Its parameters are the first five of `valuesOf`.
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

  /**
   * Takes credits from the invoices of users, the oldest first. The rest is a debt: an invoice of its own with negative
   * remaining credits. Several postings of a user take credits in their order.
   * @returns the number of new postings
   */
  const takeAll = async (postings: readonly Posting[], firstInvoiceID: string | null = null): Promise<number> => {
    if (postings.length === 0) return 0;
    const row = await one<{ done: number }>(
      db,
      {
        name: 'take_all',
        text: `with posting as (
         select * from unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::numeric[], $6::text[])
           with ordinality as p (user_id, cause, reference, at, credits, account, place)
         where credits > 0),
       posted as (
         insert into ledger_transactions (user_id, cause, reference, at)
         select user_id, cause, reference, at from posting order by place
         on conflict (cause, reference) do nothing returning id, cause, reference),
       -- The postings, each with the sum of the earlier postings of its user.
       wanted as (
         select posted.id, user_id, at, credits, account,
           sum(credits) over (partition by user_id order by place) - credits as before
         from posted join posting using (cause, reference)),
       -- Postings and invoices of a user are laid out on one line, from the first credit on; a posting takes from an
       -- invoice where both overlap. A lateral join reads the invoices of each posting by themselves: in a plain join,
       -- Postgres would compare each with each.
       taken as (
         select wanted.id, purse.id as invoice_id,
           least(wanted.before + credits, purse.before + remaining_credits)
             - greatest(wanted.before, purse.before) as amount
         from wanted cross join lateral (
           -- before: the credits of the invoices that are used before it.
           select id, remaining_credits,
             sum(remaining_credits) over (order by id is distinct from $7, paid_at, seq) - remaining_credits as before
           from invoices where user_id = wanted.user_id and remaining_credits > 0) purse
         where purse.before < wanted.before + credits and wanted.before < purse.before + remaining_credits),
       debt as (
         select id, min(user_id) as user_id, 'debt_' || min(user_id) as invoice_id, min(at) as at, sum(amount) as amount
         from (
           select id, user_id, at, credits as amount from wanted
           union all select id, null, null, -amount from taken) of_posting
         group by id),
       owed as (
         insert into invoices (id, user_id, type, method, state, cost, currency, credits, remaining_credits, paid_at)
         select invoice_id, user_id, 'adjustment', 'grant', 'paid', 0, 'USD', 0, -sum(amount), min(at)
         from debt where amount > 0 group by invoice_id, user_id
         on conflict (id) do update set remaining_credits = invoices.remaining_credits + excluded.remaining_credits),
       used as (
         update invoices set remaining_credits = remaining_credits - spent.amount
         from (select invoice_id, sum(amount) as amount from taken group by invoice_id) spent
         where invoices.id = spent.invoice_id),
       entries as (
         insert into ledger_entries (transaction_id, account, invoice_id, amount)
         select id, 'credits', invoice_id, -amount from taken
         union all select id, 'credits', invoice_id, -amount from debt where amount > 0
         union all select id, account, null, credits from wanted)
       select count(*)::int as done from posted`,
      },
      [
        postings.map(({ userID }) => userID),
        postings.map(({ cause }) => cause),
        postings.map(({ reference }) => reference),
        postings.map(({ at }) => at),
        postings.map(({ credits }) => credits),
        postings.map(({ account }) => account),
        firstInvoiceID,
      ],
    );
    return row!.done;
  };

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
     * Takes credits as `takeAll` does.
     * @param firstInvoiceID the invoice to take from before all others
     * @returns false if this was done before
     */
    take: async (posting: Posting, firstInvoiceID: string | null = null): Promise<boolean> =>
      (await takeAll([posting], firstInvoiceID)) > 0,

    takeAll,

    /** Pays the debt of a user, as far as possible, with the credits of an invoice that was just added. */
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

// SQL of invoices: purchases, grants and free credits, the sources of all credits, and their payment.
import type { InvoiceState, InvoiceType, PaymentMethod } from '../../domain/billing/invoices.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export interface Invoice {
  readonly id: string;
  readonly seq: number;
  readonly user_id: string;
  readonly type: InvoiceType;
  readonly method: PaymentMethod;
  readonly state: InvoiceState;
  /** The cost in `currency`. */
  readonly cost: number;
  readonly currency: string;
  readonly credits: number;
  readonly remaining_credits: number;
  readonly receipt_url: string | null;
  readonly payment_reference: string | null;
  readonly created_at: Date;
}

export interface NewInvoice {
  readonly id: string;
  readonly userID: string;
  readonly type: Invoice['type'];
  readonly method: Invoice['method'];
  readonly cost: number;
  readonly credits: number;
}

export function invoices(db: Queryable) {
  return {
    list: (userID: string, before: number | null, count: number) =>
      all<Invoice>(
        db,
        'select * from invoices where user_id = $1 and ($2::bigint is null or seq < $2) order by seq desc limit $3',
        [userID, before, count],
      ),

    find: (id: string) => one<Invoice>(db, 'select * from invoices where id = $1', [id]),

    findByPayment: (paymentReference: string) =>
      one<Invoice>(db, 'select * from invoices where payment_reference = $1', [paymentReference]),

    /** Makes an unpaid invoice. A second call with the same id changes nothing. */
    insertPending: (invoice: NewInvoice) =>
      db.query(
        `insert into invoices (id, user_id, type, method, state, cost, currency, credits, remaining_credits)
         values ($1, $2, $3, $4, 'pending', $5, 'USD', $6, 0) on conflict (id) do nothing`,
        [invoice.id, invoice.userID, invoice.type, invoice.method, invoice.cost, invoice.credits],
      ),

    /** Records that an invoice is paid. The paid cost and credits replace the expected ones. */
    markPaid: (
      id: string,
      paid: {
        readonly cost: number;
        readonly credits: number;
        readonly paymentReference: string | null;
        readonly at: Date;
      },
    ) =>
      db.query(
        `update invoices
         set state = 'paid', paid_at = $2, cost = $3, credits = $4, payment_reference = coalesce($5, payment_reference)
         where id = $1`,
        [id, paid.at, paid.cost, paid.credits, paid.paymentReference],
      ),

    setState: (id: string, state: InvoiceState) =>
      db.query('update invoices set state = $2 where id = $1', [id, state]),

    setReceipt: (id: string, receiptURL: string) =>
      db.query('update invoices set receipt_url = $2 where id = $1', [id, receiptURL]),

    /**
     * Makes a paid invoice with its ledger transaction. It is one statement, so that all of it is written, or nothing.
     * A second call with the same id changes nothing.
     */
    ensurePaid: (invoice: NewInvoice) =>
      db.query(
        `with added as (
           insert into invoices (id, user_id, type, method, state, cost, currency, credits, remaining_credits, paid_at)
           values ($1, $2, $3, $4, 'paid', $5, 'USD', $6, $6, now())
           on conflict (id) do nothing returning id, user_id, type, credits),
         posted as (
           insert into ledger_transactions (user_id, cause, reference, at)
           select user_id, case type when 'credit_purchase' then 'purchase' else 'grant' end, id, now()
           from added where credits > 0
           returning id, cause)
         insert into ledger_entries (transaction_id, account, invoice_id, amount)
         select posted.id, side.*
         from posted, added, lateral (values
           ('credits', added.id, added.credits),
           (case posted.cause when 'purchase' then 'sales' else 'grants' end, null, -added.credits)) as side`,
        [invoice.id, invoice.userID, invoice.type, invoice.method, invoice.cost, invoice.credits],
      ),

    /** When credits last came in; null: never. */
    lastPaidAt: async (userID: string) =>
      (await one<{ at: Date | null }>(
        db,
        `select max(paid_at) as at from invoices where user_id = $1 and state = 'paid'`,
        [userID],
      ))!.at,
  };
}

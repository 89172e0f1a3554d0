// SQL of invoices, by which all credits come in, and of accounts: what is left, and when it will be gone.
import { createHash } from 'node:crypto';
import type { Consumption, Outlook, Warning } from '../domain/credits.ts';
import type { InvoiceState, InvoiceType, PaymentMethod } from '../domain/invoices.ts';
import { all, one } from './queryable.ts';
import type { Queryable } from './queryable.ts';

export interface Invoice {
  readonly id: string;
  readonly seq: number;
  readonly user_id: string;
  readonly type: InvoiceType;
  readonly method: PaymentMethod;
  readonly state: InvoiceState;
  /** In `currency`. */
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

export interface BillingOverview {
  /** Settled: what running intervals use is not in it. */
  readonly balance: number;
  readonly credits_left: number;
  readonly any_open_dispute: boolean;
}

/** What decides about free credits. */
export interface EmailFacts {
  readonly email: string;
  readonly email_verified: boolean;
}

/** Something is due to this account. */
export interface DueAccount {
  readonly user_id: string;
  readonly credits_exhausted_at: Date | null;
  readonly warned: Warning | null;
  readonly free_credits_due_at: Date | null;
}

/** Somebody else may take up a due account whose holder has not finished with it after this long. */
const dueAgainSeconds = 10;

const spentUntil = (time: string) =>
  `select coalesce(sum(live_cost(credits_per_hour, started_at, ${time})), 0) from live_intervals where user_id = $1 and ended_at is null`;
/** Streams that credits are, or are about to be, spent on. */
const running = `from streams where user_id = $1 and deleted_at is null and state in ('preparing', 'activating', 'active', 'failing')`;
const settled = `select coalesce(sum(remaining_credits), 0) from invoices where user_id = $1 and remaining_credits <> 0`;

export function billing(db: Queryable) {
  return {
    /** To this instant, or to `at`. */
    creditsLeft: async (userID: string, at: Date | null = null) =>
      (await one<{ credits: number }>(
        db,
        `select (${settled}) - (${spentUntil('coalesce($2, clock_timestamp())')}) as credits`,
        [userID, at],
      ))!.credits,

    overview: async (userID: string, at: Date) =>
      (await one<BillingOverview>(
        db,
        `select balance, balance - spent as credits_left,
           exists (select from payment_reversals r join invoices i on i.id = r.invoice_id
                   where i.user_id = $1 and r.kind = 'dispute' and r.taken and not r.final) as any_open_dispute
         from (select (${settled}) as balance, (${spentUntil('$2')}) as spent) as figures`,
        [userID, at],
      ))!,

    list: (userID: string, before: number | null, count: number) =>
      all<Invoice>(
        db,
        'select * from invoices where user_id = $1 and ($2::bigint is null or seq < $2) order by seq desc limit $3',
        [userID, before, count],
      ),

    find: (id: string) => one<Invoice>(db, 'select * from invoices where id = $1', [id]),

    findByPayment: (paymentReference: string) =>
      one<Invoice>(db, 'select * from invoices where payment_reference = $1', [paymentReference]),

    /** One that is still to be paid. A second call with the same id changes nothing. */
    insertPending: (invoice: NewInvoice) =>
      db.query(
        `insert into invoices (id, user_id, type, method, state, cost, currency, credits, remaining_credits)
         values ($1, $2, $3, $4, 'pending', $5, 'USD', $6, 0) on conflict (id) do nothing`,
        [invoice.id, invoice.userID, invoice.type, invoice.method, invoice.cost, invoice.credits],
      ),

    /** What was really paid is what counts. */
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
        `update invoices set state = 'paid', paid_at = $2, cost = $3, credits = $4, payment_reference = coalesce($5, payment_reference) where id = $1`,
        [id, paid.at, paid.cost, paid.credits, paid.paymentReference],
      ),

    setState: (id: string, state: InvoiceState) =>
      db.query('update invoices set state = $2 where id = $1', [id, state]),

    setReceipt: (id: string, receiptURL: string) =>
      db.query('update invoices set receipt_url = $2 where id = $1', [id, receiptURL]),

    /** Books a paid invoice, with its ledger transaction, once: a second call with the same id changes nothing. */
    ensurePaidInvoice: (invoice: NewInvoice) =>
      db.query(
        `with added as (
           insert into invoices (id, user_id, type, method, state, cost, currency, credits, remaining_credits, paid_at)
           values ($1, $2, $3, $4, 'paid', $5, 'USD', $6, $6, now()) on conflict (id) do nothing returning id, user_id, type, credits),
         posted as (
           insert into ledger_transactions (user_id, cause, reference, at)
           select user_id, case type when 'credit_purchase' then 'purchase' else 'grant' end, id, now() from added where credits > 0
           returning id, cause)
         insert into ledger_entries (transaction_id, account, invoice_id, amount)
         select posted.id, side.* from posted, added, lateral (values
           ('credits', added.id, added.credits),
           (case posted.cause when 'purchase' then 'sales' else 'grants' end, null, -added.credits)) as side`,
        [invoice.id, invoice.userID, invoice.type, invoice.method, invoice.cost, invoice.credits],
      ),

    /** Locked until the transaction ends: whatever changes a user's credits takes turns on this, after the stream's row where there is one. */
    lockAccount: (userID: string) =>
      db.query(
        'insert into billing_accounts (user_id) values ($1) on conflict (user_id) do update set user_id = excluded.user_id',
        [userID],
      ),

    consumption: async (userID: string, at: Date): Promise<Consumption> => {
      const row = (await one<{
        credits_left: number;
        credits_per_hour: number;
        exhausted_at: Date | null;
        warned: Warning | null;
        any_running: boolean;
      }>(
        db,
        `select (${settled}) - (${spentUntil('$2')}) as credits_left,
           (select coalesce(sum(credits_per_hour), 0) from live_intervals where user_id = $1 and ended_at is null) as credits_per_hour,
           credits_exhausted_at as exhausted_at, warned,
           exists (select ${running}) as any_running
         from billing_accounts where user_id = $1`,
        [userID, at],
      ))!;
      const {
        credits_left: creditsLeft,
        credits_per_hour: creditsPerHour,
        exhausted_at: exhaustedAt,
        warned,
        any_running: anyRunning,
      } = row;
      return { creditsLeft, creditsPerHour, exhaustedAt, warned, anyRunning };
    },

    runningStreams: async (userID: string) =>
      (await all<{ id: string }>(db, `select id ${running} order by id`, [userID])).map(({ id }) => id),

    /** When credits last came in. */
    lastPaidAt: async (userID: string) =>
      (await one<{ at: Date | null }>(
        db,
        `select max(paid_at) as at from invoices where user_id = $1 and state = 'paid'`,
        [userID],
      ))!.at,

    saveOutlook: (userID: string, { exhaustedAt, warned, dueAt }: Outlook) =>
      db.query(
        'update billing_accounts set credits_exhausted_at = $2, warned = $3, due_at = least($4, free_credits_due_at) where user_id = $1',
        [userID, exhaustedAt, warned, dueAt],
      ),

    /** Takes up an account that something is due to; others that ask meanwhile get other accounts. */
    takeDue: (at: Date) =>
      one<DueAccount>(
        db,
        `update billing_accounts set due_at = $1::timestamptz + make_interval(secs => $2)
         where user_id = (select user_id from billing_accounts where due_at <= $1 order by due_at limit 1 for update skip locked)
         returning user_id, credits_exhausted_at, warned, free_credits_due_at`,
        [at, dueAgainSeconds],
      ),

    emailFacts: async (userID: string) =>
      (await one<EmailFacts>(db, 'select email, email_verified from users where id = $1', [userID]))!,

    /** Whether this inbox, or this user with another one, had their free credits. */
    hadFreeCredits: async (userID: string, inbox: string) =>
      (await one<{ had: boolean }>(
        db,
        'select exists (select from free_credit_grants where email_sha256 = $2 or user_id = $1) as had',
        [userID, sha256(inbox)],
      ))!.had,

    /** Remembers that this inbox had its free credits. @returns false when it had them before */
    claimFreeCredits: async (userID: string, inbox: string) =>
      (await one<{ claimed: boolean }>(
        db,
        `with claimed as (insert into free_credit_grants (email_sha256, user_id) values ($1, $2) on conflict do nothing returning user_id)
         select exists (select from claimed) as claimed`,
        [sha256(inbox), userID],
      ))!.claimed,

    markFreeCreditsDecided: (userID: string) =>
      db.query('update billing_accounts set free_credits_due_at = null where user_id = $1', [userID]),
  };
}

/** Enough to know an inbox again, and not the inbox itself. */
function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

// SQL of credit accounts: the credits left, when they will be used up, and whether free credits were given.
// The end of the credits is a time. It is recomputed when a stream starts or stops and at a payment; no process polls.
// Locks are taken on the stream first, then on the account.
import { createHash } from 'node:crypto';
import type { Consumption, Outlook, Warning } from '../../domain/billing/credits.ts';
import type { User } from '../accounts/users.ts';
import { isFunded } from '../shared/funded.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export interface BillingOverview {
  /** The credits without the use of running intervals, which is posted when they end. */
  readonly balance: number;
  readonly credits_left: number;
  readonly any_open_dispute: boolean;
  /** The price of all that is live now. */
  readonly credits_per_hour: number;
  /** The time when the credits will be used up, as of the last assessment; null: never. */
  readonly credits_exhausted_at: Date | null;
}

/** The address of a user. It decides about free credits. */
export interface EmailFacts {
  readonly email: string;
  readonly email_verified: boolean;
}

/** A user, with the credits that are left now. */
export interface UserWithCredits extends User {
  readonly credits_left: number;
}

/** An account with a due action: a warning, the end of its streams, or free credits. */
export interface DueAccount {
  readonly user_id: string;
  readonly credits_exhausted_at: Date | null;
  readonly warned: Warning | null;
  readonly free_credits_due_at: Date | null;
}

/** The time after which a taken account that was not finished is due again, for any process. */
const dueAgainSeconds = 10;

// The following are SQL about a user; `user` is SQL of the id.

/**
 * The use of running intervals, which the ledger does not have yet.
 * @param time SQL of the end of their use
 */
const spentUntil = (time: string, user = '$1') =>
  `select coalesce(sum(live_cost(credits_per_hour, started_at, ${time})), 0)
   from live_intervals where user_id = ${user} and ended_at is null`;
/** The streams that use credits, or are about to. */
const running = (user = '$1') => `from streams
  where user_id = ${user} and deleted_at is null and status = 'ACTIVE'`;
/** The remaining credits of all invoices. */
const settled = (user = '$1') => `select coalesce(sum(remaining_credits), 0)
  from invoices where user_id = ${user} and remaining_credits <> 0`;

export function creditAccounts(db: Queryable) {
  /** The states of accounts, each at a time, by the id of the user. An account has a row after its first lock. */
  const consumptions = async (
    accounts: readonly { readonly userID: string; readonly at: Date }[],
  ): Promise<Map<string, Consumption>> => {
    const rows = await all<{
      user_id: string;
      credits_left: number;
      credits_per_hour: number;
      exhausted_at: Date | null;
      warned: Warning | null;
      any_running: boolean;
      is_funded: boolean;
    }>(
      db,
      {
        name: 'consumptions',
        text: `select user_id, (${settled('b.user_id')}) - spent as credits_left, credits_per_hour,
           credits_exhausted_at as exhausted_at, warned, exists (select ${running('b.user_id')}) as any_running,
           ${isFunded('b.user_id')} as is_funded
         from unnest($1::text[], $2::timestamptz[]) as asked (user_id, at) join billing_accounts b using (user_id),
           lateral (
             select coalesce(sum(live_cost(credits_per_hour, started_at, asked.at)), 0) as spent,
               coalesce(sum(credits_per_hour), 0) as credits_per_hour
             from live_intervals i where i.user_id = b.user_id and ended_at is null) open_intervals`,
      },
      [accounts.map(({ userID }) => userID), accounts.map(({ at }) => at)],
    );
    return new Map(
      rows.map((row) => [
        row.user_id,
        {
          creditsLeft: row.credits_left,
          creditsPerHour: row.credits_per_hour,
          exhaustedAt: row.exhausted_at,
          warned: row.warned,
          anyRunning: row.any_running,
          isFunded: row.is_funded,
        },
      ]),
    );
  };

  /** @param locking SQL of a lock on the users; empty: none */
  const withCredits = async (userIDs: readonly string[], locking: string) => {
    const rows = await all<UserWithCredits>(
      db,
      `select u.*, (${settled('u.id')}) - (${spentUntil('clock_timestamp()', 'u.id')}) as credits_left
       from users u where id = any ($1) order by id ${locking}`,
      [[...new Set(userIDs)]],
    );
    return new Map(rows.map((user) => [user.id, user]));
  };

  /** Stores the assessments of accounts, by the id of the user. Lock the accounts first. */
  const saveOutlooks = (outlooks: ReadonlyMap<string, Outlook>) => {
    const each = [...outlooks.values()];
    return db.query(
      {
        name: 'save_outlooks',
        text: `update billing_accounts b
         set credits_exhausted_at = exhausted_at, warned = o.warned,
           -- Running streams of an account at rest have to be stopped, whatever its credits are.
           due_at = least(o.due_at, free_credits_due_at, case
             when (select is_at_rest from users where id = b.user_id) and exists (select ${running('b.user_id')})
               then least(b.due_at, now() + make_interval(secs => ${dueAgainSeconds})) end)
         from unnest($1::text[], $2::timestamptz[], $3::text[], $4::timestamptz[])
           as o (user_id, exhausted_at, warned, due_at)
         where b.user_id = o.user_id`,
      },
      [
        [...outlooks.keys()],
        each.map(({ exhaustedAt }) => exhaustedAt),
        each.map(({ warned }) => warned),
        each.map(({ dueAt }) => dueAt),
      ],
    );
  };

  return {
    /** The credits that are left now, or at `at`. */
    creditsLeft: async (userID: string, at: Date | null = null) =>
      (await one<{ credits: number }>(
        db,
        `select (${settled()}) - (${spentUntil('coalesce($2, clock_timestamp())')}) as credits`,
        [userID, at],
      ))!.credits,

    /** These users with their credits, by id. */
    withCredits: (userIDs: readonly string[]) => withCredits(userIDs, ''),

    /**
     * These users with their credits, by id. None of their accounts goes to rest until the transaction ends. A
     * transaction that also locks streams locks the streams first.
     */
    lockWithCredits: (userIDs: readonly string[]) => withCredits(userIDs, 'for share'),

    overview: async (userID: string, at: Date) =>
      (await one<BillingOverview>(
        db,
        `select balance, balance - spent as credits_left,
           (select coalesce(sum(credits_per_hour), 0)::float8 from live_intervals
            where user_id = $1 and ended_at is null) as credits_per_hour,
           (select credits_exhausted_at from billing_accounts where user_id = $1) as credits_exhausted_at,
           exists (
             select from payment_reversals r join invoices i on i.id = r.invoice_id
             where i.user_id = $1 and r.kind = 'dispute' and r.taken and not r.final) as any_open_dispute
         from (select (${settled()}) as balance, (${spentUntil('$2')}) as spent) as figures`,
        [userID, at],
      ))!,

    /**
     * Locks accounts until the transaction ends. All code that changes the credits of a user locks the account first. A
     * transaction that also locks a stream locks the stream before. It locks in the order of the user ids, to avoid
     * deadlocks.
     */
    lock: async (...userIDs: readonly string[]): Promise<void> => {
      const users = [...new Set(userIDs)].sort();
      const { rowCount } = await db.query(
        'select from billing_accounts where user_id = any ($1) order by user_id for update',
        [users],
      );
      if (rowCount === users.length) return;
      await db.query(
        `insert into billing_accounts (user_id) select unnest($1::text[])
         on conflict (user_id) do update set user_id = excluded.user_id`,
        [users],
      );
    },

    /** The state of an account at a time. An account has a row after its first lock. */
    consumption: async (userID: string, at: Date): Promise<Consumption> =>
      (await consumptions([{ userID, at }])).get(userID)!,

    consumptions,

    runningStreams: async (userID: string) =>
      (await all<{ id: string }>(db, `select id ${running()} order by id`, [userID])).map(({ id }) => id),

    saveOutlook: (userID: string, outlook: Outlook) => saveOutlooks(new Map([[userID, outlook]])),

    saveOutlooks,

    /** Whether an account has a due action. */
    isAnyDue: async () =>
      (await one<{ is_due: boolean }>(
        db,
        'select exists (select from billing_accounts where due_at <= now()) as is_due',
        [],
      ))!.is_due,

    /** Takes an account with a due action. Concurrent processes get different accounts. */
    takeDue: (at: Date) =>
      one<DueAccount>(
        db,
        `update billing_accounts set due_at = $1::timestamptz + make_interval(secs => $2)
         where user_id = (
           select user_id from billing_accounts where due_at <= $1
           order by due_at limit 1 for update skip locked)
         returning user_id, credits_exhausted_at, warned, free_credits_due_at`,
        [at, dueAgainSeconds],
      ),

    /**
     * Makes accounts due that are at rest while a stream runs, or awake while a start rests: the process that changed
     * their rest died before it finished.
     */
    makeRestDue: () =>
      db.query(
        `update billing_accounts set due_at = date_trunc('milliseconds', now())
         where (due_at is null or due_at > now() + make_interval(secs => ${dueAgainSeconds})) and user_id in (
           select u.id from users u join streams s on s.user_id = u.id
           where (u.disabled_at is not null or u.held_at is not null)
             and s.state in ('preparing', 'activating', 'active', 'failing')
           union
           select u.id from due_times d join streams s on s.id = d.stream_id join users u on u.id = s.user_id
           where d.resting and not u.is_at_rest)`,
      ),

    emailFacts: async (userID: string) =>
      (await one<EmailFacts>(db, 'select email, email_verified from users where id = $1', [userID]))!,

    /** Whether free credits were given to this inbox, or to this user with another inbox. */
    hadFreeCredits: async (userID: string, inbox: string) =>
      (await one<{ had: boolean }>(
        db,
        'select exists (select from free_credit_grants where email_sha256 = $2 or user_id = $1) as had',
        [userID, sha256(inbox)],
      ))!.had,

    /** Records that free credits are given to this inbox. @returns false if they were given before */
    claimFreeCredits: async (userID: string, inbox: string) =>
      (await one<{ claimed: boolean }>(
        db,
        `with claimed as (
           insert into free_credit_grants (email_sha256, user_id) values ($1, $2)
           on conflict do nothing returning user_id)
         select exists (select from claimed) as claimed`,
        [sha256(inbox), userID],
      ))!.claimed,

    markFreeCreditsDecided: (userID: string) =>
      db.query('update billing_accounts set free_credits_due_at = null where user_id = $1', [userID]),
  };
}

/** The hash of an inbox recognizes it without a copy of the address. */
function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

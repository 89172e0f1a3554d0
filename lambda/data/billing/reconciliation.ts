// SQL that checks the books: ledger, live intervals, storage, invoices and reversals have to agree, by user.
import { isPaid } from './live-intervals.ts';
import { all } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export interface Difference {
  readonly user_id: string | null;
  /** The failed proof, in words: the statement that should be true. */
  readonly proof: string;
  /** The id of the invoice, interval, transaction, reversal or message. */
  readonly reference: string;
  readonly stated: number | null;
  readonly proven: number | null;
}

/** The age at which an unapplied message of a provider is reported. */
const oldestUnappliedMinutes = 60;

export function reconciliation(db: Queryable) {
  return {
    /**
     * All failed proofs; none if the books are right. It is one statement, so that all figures are of one instant.
     */
    differences: () =>
      all<Difference>(
        db,
        // Each transaction of the ledger: the credits of the user in it, and its sum over all accounts.
        `with moved as (
           select t.id, t.user_id, t.cause, t.reference,
             coalesce(sum(e.amount) filter (where e.account = 'credits'), 0) as credits,
             coalesce(sum(e.amount), 0) as total
           from ledger_transactions t left join ledger_entries e on e.transaction_id = t.id group by t.id)

         select user_id, 'a transaction sums up to zero' as proof, id::text as reference,
           0::numeric as stated, total as proven
         from moved where total <> 0

         union all
         select i.user_id, 'an invoice has left what the ledger says', i.id, i.remaining_credits, coalesce(e.credits, 0)
         from invoices i
         left join (
           select invoice_id, sum(amount) as credits from ledger_entries
           where account = 'credits' group by invoice_id) e on e.invoice_id = i.id
         where i.remaining_credits <> coalesce(e.credits, 0)

         union all
         select coalesce(i.user_id, t.user_id), 'an invoice that was paid came in once',
           coalesce(i.id, t.reference), i.credits, t.credits
         from (select * from invoices where credits > 0 and state in ('paid', 'refunded')) i
         full join (select * from moved where cause in ('purchase', 'grant')) t
           on t.reference = i.id and t.user_id = i.user_id
         where i.credits is distinct from t.credits

         union all
         select coalesce(i.user_id, t.user_id), 'intervals that have ended were spent once',
           coalesce(i.reference, t.reference), i.cost, -t.credits
         from (
           select coalesce(spent_as, id)::text as reference, user_id,
             sum(live_cost(credits_per_hour, started_at, ended_at)) as cost
           from live_intervals where ended_at is not null group by 1, 2) i
         full join (select * from moved where cause = 'usage') t
           on t.reference = i.reference and t.user_id = i.user_id
         where coalesce(i.cost, 0) <> coalesce(-t.credits, 0)

         union all
         select coalesce(c.user_id, t.user_id), 'a day of storage was spent once',
           coalesce(c.user_id || '/' || c.day, t.reference), c.credits, -t.credits
         from storage_charges c
         full join (select * from moved where cause = 'storage') t
           on t.reference = c.user_id || '/' || c.day and t.user_id = c.user_id
         where coalesce(c.credits, 0) <> coalesce(-t.credits, 0)

         union all
         select coalesce(i.user_id, t.user_id), 'a refund or dispute took back what it holds',
           coalesce(r.id, t.reference), case when r.taken then r.credits else 0 end, -t.credits
         from payment_reversals r join invoices i on i.id = r.invoice_id
         full join (
           -- Credits that a reversal took after another one had ended have the reference ITS-ID/ID-OF-THE-OTHER.
           select user_id, split_part(reference, '/', 1) as reference, sum(credits) as credits from moved
           where cause in ('refund', 'refund_failed', 'dispute', 'dispute_won')
           group by 1, 2) t on t.reference = r.id
         where coalesce(case when r.taken then r.credits end, 0) <> coalesce(-t.credits, 0)

         union all
         select user_id, 'no second of a replica is counted twice', id::text,
           extract(epoch from started_at), extract(epoch from last_ended_at)
         from (
           select id, user_id, started_at,
             max(coalesce(ended_at, 'infinity')) over (
               partition by replica_id order by started_at, id
               rows between unbounded preceding and 1 preceding) as last_ended_at
           from live_intervals) i
         where last_ended_at > started_at

         union all
         select i.user_id, 'what runs up a cost is live', i.id::text, null, null
         from live_intervals i where ended_at is null
           and not exists (
             select from replicas r where r.id = i.replica_id and ${isPaid('r')})

         union all
         select null, 'a message of a provider is applied: ' || coalesce(failure, 'never tried'),
           provider || '/' || id, null, null
         from payment_events where applied_at is null and received_at < now() - make_interval(mins => $1)`,
        [oldestUnappliedMinutes],
      ),
  };
}

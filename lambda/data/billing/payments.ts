// SQL of the reports of payment providers: messages as they were received, refunds and disputes.
import type { PaymentReport } from '../../domain/billing/payment-reports.ts';
import type { ReversalState } from '../../domain/billing/invoices.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export interface StoredEvent {
  readonly provider: string;
  readonly id: string;
  readonly meaning: readonly PaymentReport[];
}

export interface Reversal extends ReversalState {
  readonly id: string;
  readonly invoice_id: string;
  readonly kind: 'refund' | 'dispute';
  /** The credits that were taken back, or would have been. */
  readonly credits: number;
  /** The reported amount: more than `credits` if other reversals had taken back the rest of the invoice. */
  readonly amount_cents: number;
}

export function payments(db: Queryable) {
  return {
    /** Stores a message as it was received. A repeated message changes nothing. */
    keep: (event: StoredEvent & { readonly body: string }) =>
      db.query(
        'insert into payment_events (provider, id, body, meaning) values ($1, $2, $3, $4) on conflict do nothing',
        [event.provider, event.id, event.body, JSON.stringify(event.meaning)],
      ),

    /**
     * The oldest message after `afterSeq` that is not applied yet, locked. It skips messages that another process has
     * locked. One that is `Inapplicable` is tried by each 60th sweep after an hour, and by each 1,440th after a week:
     * it may be so for ever, as a deposit at an address that we do not know.
     * @param sweepTurn the number of the sweep; null: such messages are not tried
     */
    lockNextUnapplied: (afterSeq: number, sweepTurn: number | null) =>
      one<StoredEvent & { seq: number }>(
        db,
        `select provider, id, meaning, seq from payment_events
         where applied_at is null and seq > $1
           and (received_at > now() - interval '1 hour' or failure is null or failure not like 'Inapplicable: %'
             or (seq + $2::bigint) % case when received_at > now() - interval '7 days' then 60 else 1440 end = 0)
         order by seq limit 1 for update skip locked`,
        [afterSeq, sweepTurn],
      ),

    markApplied: (event: Pick<StoredEvent, 'provider' | 'id'>) =>
      db.query('update payment_events set applied_at = now(), failure = null where provider = $1 and id = $2', [
        event.provider,
        event.id,
      ]),

    recordFailure: (event: Pick<StoredEvent, 'provider' | 'id'>, failure: string) =>
      db.query('update payment_events set failure = $3 where provider = $1 and id = $2', [
        event.provider,
        event.id,
        failure,
      ]),

    findReversal: (id: string) =>
      one<Reversal>(db, `select ${reversalColumns} from payment_reversals where id = $1`, [id]),

    /** The refunds and disputes that hold credits of an invoice, by id. */
    takenReversals: (invoiceID: string) =>
      all<Reversal>(
        db,
        `select ${reversalColumns} from payment_reversals where invoice_id = $1 and taken order by id`,
        [invoiceID],
      ),

    setReversedCredits: (id: string, credits: number) =>
      db.query('update payment_reversals set credits = $2 where id = $1', [id, credits]),

    saveReversal: (reversal: Reversal, at: Date) =>
      db.query(
        `insert into payment_reversals (id, invoice_id, kind, credits, amount_cents, taken, final, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)
         on conflict (id) do update
         set credits = excluded.credits, amount_cents = excluded.amount_cents, taken = excluded.taken,
           final = excluded.final, updated_at = excluded.updated_at`,
        [
          reversal.id,
          reversal.invoice_id,
          reversal.kind,
          reversal.credits,
          reversal.amount_cents,
          reversal.taken,
          reversal.final,
          at,
        ],
      ),
  };
}

/** The columns of a reversal. */
const reversalColumns = 'id, invoice_id, kind, credits, amount_cents, taken, final';

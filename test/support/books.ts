// Billing records in the tables: live intervals with their credits, users' notifications, and payments.
import { all } from '../../lambda/data/shared/queryable.ts';
import type { ReplicaRole } from '../../lambda/data/fleet/replicas.ts';
import type { WithPool } from './database.ts';

/** A live interval, with the columns that tests read. */
export interface StoredInterval {
  readonly stream_id: string;
  readonly replica_id: string;
  readonly role: ReplicaRole;
  readonly agent_id: string;
  readonly credits_per_hour: number;
  readonly started_at: Date;
  readonly ended_at: Date | null;
  readonly bytes_before: number;
  readonly bytes_after: number | null;
}

export interface PastInterval {
  readonly userID: string;
  readonly streamID: string;
  readonly replicaID: string;
  readonly role?: ReplicaRole;
  readonly creditsPerHour?: number;
  readonly from: string;
  /** Null for an interval that has not ended. */
  readonly to: string | null;
  readonly bytes?: number | null;
}

/** Stores a live interval of a replica without charging credits for it. */
export async function storeInterval({ pool }: WithPool, interval: PastInterval): Promise<void> {
  const { userID, streamID, replicaID, role = 'primary', creditsPerHour = 36, from, to, bytes = null } = interval;
  await pool().query(
    `insert into live_intervals
       (user_id, stream_id, replica_id, role, agent_id, epoch, price_version, credits_per_hour,
        started_at, ended_at, bytes_after)
     values ($1, $2, $3, $4, 'agent', 1, '1', $5, $6, $7, $8)`,
    [userID, streamID, replicaID, role, creditsPerHour, from, to, bytes],
  );
}

/** The live intervals of a user, by their start. */
export function intervalsOf({ pool }: WithPool, userID: string): Promise<StoredInterval[]> {
  return all(pool(), 'select * from live_intervals where user_id = $1 order by id', [userID]);
}

/** Makes all live intervals of a user begin this many seconds ago. */
export async function letIntervalsBegin({ pool }: WithPool, userID: string, secondsAgo: number): Promise<void> {
  await pool().query('update live_intervals set started_at = now() - make_interval(secs => $2) where user_id = $1', [
    userID,
    secondsAgo,
  ]);
}

/** The notifications of a user, in order. */
export function notificationsOf(
  { pool }: WithPool,
  userID: string,
): Promise<{ kind: string; detail: Readonly<Record<string, unknown>> }[]> {
  return all(pool(), 'select kind, detail from notifications where user_id = $1 order by id', [userID]);
}

/** The reasons why messages of payment providers could not be applied yet. */
export async function unappliedFailures({ pool }: WithPool): Promise<(string | null)[]> {
  const rows = await all<{ failure: string | null }>(
    pool(),
    'select failure from payment_events where applied_at is null',
  );
  return rows.map(({ failure }) => failure);
}

/** Dismisses the messages of payment providers that could not be applied, as an operator does after a review. */
export async function putFailuresAside({ pool }: WithPool): Promise<void> {
  await pool().query('update payment_events set applied_at = now() where applied_at is null');
}

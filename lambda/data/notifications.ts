// SQL of what users have to be told: written with its cause, sent by whoever carries mail or webhooks.
import type { Queryable } from './queryable.ts';

export type NotificationKind =
  | 'credits_end_within_day' | 'credits_end_within_hour' | 'credits_exhausted' | 'streams_stopped_without_credits'
  | 'payment_refunded' | 'payment_disputed';

export interface Notification {
  readonly userID: string;
  readonly kind: NotificationKind;
  /** What it is about: the same thing is told once. */
  readonly reference: string;
  /** The cause, in figures, as JSON. */
  readonly detail: Readonly<Record<string, unknown>>;
  readonly dueAt: Date;
}

export function notifications(db: Queryable) {
  return {
    add: ({ userID, kind, reference, detail, dueAt }: Notification) =>
      db.query(
        `insert into notifications (user_id, kind, reference, detail, due_at) values ($1, $2, $3, $4, $5)
         on conflict (user_id, kind, reference) do nothing`,
        [userID, kind, reference, JSON.stringify(detail), dueAt],
      ),
  };
}

// SQL of what users have to be told: written with its cause; a trigger has it mailed, and tells webhooks.
import { one } from './queryable.ts';
import type { Queryable } from './queryable.ts';

export type NotificationKind =
  | 'credits_end_within_day'
  | 'credits_end_within_hour'
  | 'credits_exhausted'
  | 'streams_stopped_without_credits'
  | 'payment_refunded'
  | 'payment_disputed'
  | 'webhook_disabled';

export interface Notification {
  readonly userID: string;
  readonly kind: NotificationKind;
  /** What it is about: the same thing is told once. */
  readonly reference: string;
  /** The cause, in figures, as JSON. */
  readonly detail: Readonly<Record<string, unknown>>;
  readonly dueAt: Date;
}

/** One that has to be mailed. */
export interface UnsentNotification {
  readonly id: number;
  readonly kind: NotificationKind;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly email: string;
}

export function notifications(db: Queryable) {
  return {
    add: ({ userID, kind, reference, detail, dueAt }: Notification) =>
      db.query(
        `insert into notifications (user_id, kind, reference, detail, due_at) values ($1, $2, $3, $4, $5)
         on conflict (user_id, kind, reference) do nothing`,
        [userID, kind, reference, JSON.stringify(detail), dueAt],
      ),

    /** Locked until the transaction ends. Null when it was sent, is not due, or somebody is at it. */
    takeUnsent: (id: number) =>
      one<UnsentNotification>(
        db,
        `select n.id, kind, detail, email from notifications n join users on users.id = user_id
         where n.id = $1 and sent_at is null and due_at <= now() for update of n skip locked`,
        [id],
      ),

    markSent: (id: number) => db.query('update notifications set sent_at = now() where id = $1', [id]),

    /** Nobody can be mailed here. */
    shelve: (id: number) => db.query(`update notifications set due_at = 'infinity' where id = $1`, [id]),
  };
}

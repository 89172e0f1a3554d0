// SQL of notifications to users. A trigger has each one mailed, and tells the user's webhooks of it.
import { one } from './queryable.ts';
import type { Queryable } from './queryable.ts';

export type NotificationKind =
  | 'credits_end_within_day'
  | 'credits_end_within_hour'
  | 'credits_exhausted'
  | 'streams_stopped_without_credits'
  | 'payment_refunded'
  | 'payment_disputed'
  | 'storage_will_cost'
  | 'webhook_disabled'
  | 'webhook_overflowed'
  | 'alert_channel_disabled'
  | 'channel_lost'
  | 'platform_disagrees'
  | 'source_failing';

export interface Notification {
  readonly userID: string;
  readonly kind: NotificationKind;
  /** What it is about. A user is told of a kind and a reference once. */
  readonly reference: string;
  /** The figures of the cause, as JSON. */
  readonly detail: Readonly<Record<string, unknown>>;
  readonly dueAt: Date;
}

/** A notification that has to be mailed. */
export interface UnsentNotification {
  readonly id: number;
  readonly kind: NotificationKind;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly email: string;
}

export function notifications(db: Queryable) {
  return {
    /** Written in the transaction of its cause. */
    add: ({ userID, kind, reference, detail, dueAt }: Notification) =>
      db.query(
        `insert into notifications (user_id, kind, reference, detail, due_at) values ($1, $2, $3, $4, $5)
         on conflict (user_id, kind, reference) do nothing`,
        [userID, kind, reference, JSON.stringify(detail), dueAt],
      ),

    /**
     * A notification, locked until the transaction ends. Null if it was sent, is not due, or another process has it
     * locked.
     */
    takeUnsent: (id: number) =>
      one<UnsentNotification>(
        db,
        `select n.id, kind, detail, email from notifications n join users on users.id = user_id
         where n.id = $1 and sent_at is null and due_at <= now() for update of n skip locked`,
        [id],
      ),

    markSent: (id: number) => db.query('update notifications set sent_at = now() where id = $1', [id]),

    /** Puts a notification off for ever: where no mail can be sent. */
    shelve: (id: number) => db.query(`update notifications set due_at = 'infinity' where id = $1`, [id]),
  };
}

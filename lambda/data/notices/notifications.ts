// SQL of notifications to users. A trigger sends each one by mail and to the user's webhooks.
import type { NotificationKind } from '../../domain/notices/notification-words.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export interface Notification {
  readonly userID: string;
  readonly kind: NotificationKind;
  /** Identifies the cause. A user is notified once of a kind and a reference. */
  readonly reference: string;
  /** The figures of the cause, as JSON. */
  readonly detail: Readonly<Record<string, unknown>>;
  readonly dueAt: Date;
}

/** A notification that has to be mailed. */
export interface UnsentNotification {
  readonly id: number;
  readonly user_id: string;
  readonly kind: NotificationKind;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly email: string;
}

/** A notification as its user reads it. */
export interface ReadNotification {
  readonly id: number;
  readonly seq: number;
  readonly kind: NotificationKind;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly created_at: Date;
  readonly read_at: Date | null;
}

export function notifications(db: Queryable) {
  return {
    /** Adds a notification, in the transaction of its cause. */
    add: ({ userID, kind, reference, detail, dueAt }: Notification) =>
      db.query(
        `insert into notifications (user_id, kind, reference, detail, due_at) values ($1, $2, $3, $4, $5)
         on conflict (user_id, kind, reference) do nothing`,
        [userID, kind, reference, JSON.stringify(detail), dueAt],
      ),

    /** Notifications of a user, the newest first. */
    list: (
      userID: string,
      filter: { readonly except: readonly NotificationKind[]; readonly isUnread: boolean },
      before: number | null,
      count: number,
    ) =>
      all<ReadNotification>(
        db,
        `select id, id as seq, kind, detail, created_at, read_at from notifications
         where user_id = $1 and kind <> all ($2) and (not $3 or read_at is null)
           and ($4::bigint is null or id < $4)
         order by id desc limit $5`,
        [userID, filter.except, filter.isUnread, before, count],
      ),

    /** Records that a user has read these notifications; null: all. @returns the number of unread ones */
    markRead: async (userID: string, ids: readonly number[] | null) => {
      const { rowCount } = await db.query(
        `update notifications set read_at = now()
         where user_id = $1 and read_at is null and ($2::bigint[] is null or id = any ($2))`,
        [userID, ids],
      );
      return rowCount ?? 0;
    },

    /** The user of a notification that is due; null if it was sent or is not due. */
    userOfUnsent: async (id: number) =>
      (
        await one<{ user_id: string }>(
          db,
          'select user_id from notifications where id = $1 and sent_at is null and due_at <= now()',
          [id],
        )
      )?.user_id ?? null,

    /** A notification, locked. Null if it was sent, is not due, or another process has locked it. */
    lockUnsent: (id: number) =>
      one<UnsentNotification>(
        db,
        `select n.id, user_id, kind, detail, email from notifications n join users on users.id = user_id
         where n.id = $1 and sent_at is null and due_at <= now() for update of n skip locked`,
        [id],
      ),

    markSent: (id: number) => db.query('update notifications set sent_at = now() where id = $1', [id]),

    /** Postpones a notification for ever, if no mail can be sent. */
    shelve: (id: number) => db.query(`update notifications set due_at = 'infinity' where id = $1`, [id]),

    /** Deletes all but the latest notifications of a user, except those that wait for their mail. */
    keepLatest: (userID: string, kept: number) =>
      db.query(
        `delete from notifications
         where user_id = $1 and (sent_at is not null or due_at = 'infinity')
           and id <= (select id from notifications where user_id = $1 order by id desc offset $2 limit 1)`,
        [userID, kept],
      ),

    /** Deletes old notifications, so many at a time, found among the oldest without an index of times. */
    forget: (days: number, most: number) =>
      db.query(
        `delete from notifications where id in (
           select id from (select id, created_at from notifications order by id limit $2) oldest
           where created_at < now() - make_interval(days => $1))`,
        [days, most],
      ),
  };
}

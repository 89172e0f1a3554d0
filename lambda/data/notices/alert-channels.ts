// SQL of alert channels: the targets of users for notices of incidents. The targets are sealed.
import type { IncidentKind } from '../../domain/notices/incidents.ts';
import type { AlertChannelKind } from '../../domain/notices/alert-target.ts';
import type { QuietHours } from '../../domain/notices/quiet-hours.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { WebhookDisabledReason } from './webhooks.ts';

/** How the last attempt to send to a channel ended. */
export interface LastDelivery {
  readonly at: string;
  /** HTTP status; null without an answer, and for mails. */
  readonly status: number | null;
  /** Null: it was accepted. */
  readonly failure: string | null;
}

export interface AlertChannel {
  readonly id: string;
  readonly seq: number;
  readonly user_id: string;
  /** The application that made it; null: the user did. */
  readonly client_id: string | null;
  readonly name: string;
  readonly kind: AlertChannelKind;
  readonly sealed_target: Buffer | null;
  readonly shown_target: string;
  readonly host: string | null;
  readonly events: readonly IncidentKind[];
  readonly after_seconds: number;
  readonly quiet_hours: QuietHours | null;
  readonly enabled: boolean;
  readonly disabled_reason: WebhookDisabledReason | null;
  readonly failures: number;
  readonly failing_since: Date | null;
  readonly retry_at: Date | null;
  readonly last_delivery: LastDelivery | null;
  readonly test_asked_at: Date | null;
  readonly created_at: Date;
}

/** The columns that a user sets. */
export type AlertChannelSettings = Pick<
  AlertChannel,
  'name' | 'sealed_target' | 'shown_target' | 'host' | 'events' | 'after_seconds' | 'quiet_hours' | 'enabled'
>;

const settingsOf = (channel: AlertChannelSettings) => [
  channel.name,
  channel.sealed_target,
  channel.shown_target,
  channel.host,
  channel.events,
  channel.after_seconds,
  channel.quiet_hours,
  channel.enabled,
];

export function alertChannels(db: Queryable) {
  return {
    insert: async (
      channel: AlertChannelSettings & Pick<AlertChannel, 'id' | 'user_id' | 'kind'>,
      clientID: string | null,
    ) =>
      (await one<AlertChannel>(
        db,
        `insert into alert_channels (name, sealed_target, shown_target, host, events, after_seconds, quiet_hours,
           enabled, id, user_id, kind, client_id)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) returning *`,
        [...settingsOf(channel), channel.id, channel.user_id, channel.kind, clientID],
      ))!,

    find: (userID: string, id: string) =>
      one<AlertChannel>(db, 'select * from alert_channels where id = $1 and user_id = $2', [id, userID]),

    lock: (userID: string, id: string) =>
      one<AlertChannel>(db, 'select * from alert_channels where id = $1 and user_id = $2 for no key update', [
        id,
        userID,
      ]),

    list: (userID: string, before: number | null, count: number) =>
      all<AlertChannel>(
        db,
        `select * from alert_channels where user_id = $1 and ($2::bigint is null or seq < $2)
         order by seq desc limit $3`,
        [userID, before, count],
      ),

    /** The enabled channels of a user. */
    enabledOf: (userID: string) =>
      all<AlertChannel>(db, 'select * from alert_channels where user_id = $1 and enabled', [userID]),

    /** Saves the settings of a user. Waiting notices are due at once, and the record of failures is cleared. */
    save: async (id: string, settings: AlertChannelSettings) => {
      const saved = (await one<AlertChannel>(
        db,
        `update alert_channels
         set name = $1, sealed_target = $2, shown_target = $3, host = $4, events = $5, after_seconds = $6,
           quiet_hours = $7, enabled = $8, disabled_reason = case when $8 = enabled then disabled_reason end,
           failures = 0, failing_since = null, retry_at = null
         where id = $9 returning *`,
        [...settingsOf(settings), id],
      ))!;
      if (!saved.enabled) await db.query('delete from alert_notices where channel_id = $1 and sent_at is null', [id]);
      return saved;
    },

    /** Requests a test message. */
    askTest: async (id: string) =>
      (await one<AlertChannel>(
        db,
        'update alert_channels set test_asked_at = now(), retry_at = null where id = $1 returning *',
        [id],
      ))!,

    delete: (id: string) => db.query('delete from alert_channels where id = $1', [id]),

    disable: (id: string, reason: WebhookDisabledReason) =>
      db.query(
        `with dropped as (delete from alert_notices where channel_id = $1 and sent_at is null)
         update alert_channels set enabled = false, disabled_reason = $2, test_asked_at = null where id = $1`,
        [id, reason],
      ),
  };
}

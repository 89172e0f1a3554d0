// SQL of the channel of a managed stream: its settings, connection, ingest and broadcast.
import { grantExpiringDays } from '../../domain/channels/managed-platforms.ts';
import type { ConnectionState, PlatformName } from '../../domain/channels/managed-platforms.ts';
import { isOpen } from './broadcasts.ts';
import { quotaExhaustedUntil } from './connections.ts';
import { one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

/** The ingest of a managed stream. The key is sealed. */
export interface StoredIngest {
  readonly url: string;
  readonly backup_url: string | null;
  readonly sealed_key: Buffer;
}

/** The channel of a stream's settings, with its ingest and state. */
export interface ManagedChannel {
  readonly connection_id: string;
  readonly platform: PlatformName;
  readonly state: ConnectionState;
  /** When its grant expires; null: not soon. */
  readonly grant_expires_at: Date | null;
  readonly title_template: string;
  readonly time_zone: string;
  /** Null until the platform has assigned one. */
  readonly ingest: StoredIngest | null;
  /** Whether a prepared broadcast goes live by itself, so that a start needs no call. */
  readonly is_prepared: boolean;
  /** The health that the platform reported last for the stream's open broadcast; null: none. */
  readonly health_state: string | null;
  /** Why the platform does not match the settings of the stream; null: it does. */
  readonly mirror_code: string | null;
  /** When our quota at the platform is renewed; null: some is left. */
  readonly quota_exhausted_until: Date | null;
}

type Row = Omit<ManagedChannel, 'ingest'> & { [Column in keyof StoredIngest]: StoredIngest[Column] | null };

export function managedStreams(db: Queryable) {
  return {
    /** The channel of a stream; null if its settings name none, or were deleted. */
    channel: async (streamID: string): Promise<ManagedChannel | null> => {
      const row = await one<Row>(
        db,
        `select c.id as connection_id, c.platform, c.state,
           case when c.grant_ends_at < now() + make_interval(days => ${grantExpiringDays}) then c.grant_ends_at end
             as grant_expires_at,
           m.title_template, m.time_zone,
           i.url, i.backup_url, i.sealed_key,
           coalesce(b.phase = 'prepared' and b.external_id is not null and b.bound and b.auto_start, false)
             as is_prepared,
           b.health ->> 'state' as health_state,
           (select code from mirror_intents where stream_id = s.id and state in ('pending', 'blocked')) as mirror_code,
           ${quotaExhaustedUntil} as quota_exhausted_until
         from streams s
           join managed_settings m on m.id = s.managed_settings_id and m.user_id = s.user_id
           join connections c on c.id = m.connection_id
           left join platform_ingests i on i.stream_id = s.id and i.connection_id = c.id
           left join lateral (
             select phase, external_id, bound, auto_start, health from broadcasts
             where stream_id = s.id and connection_id = c.id and ${isOpen}
             order by n desc limit 1) b on true
         where s.id = $1`,
        [streamID],
      );
      if (!row) return null;
      const { url, backup_url, sealed_key, ...channel } = row;
      return { ...channel, ingest: url === null ? null : { url, backup_url, sealed_key: sealed_key! } };
    },

    /** Whether a user has connected any channel. */
    hasConnected: async (userID: string) =>
      (await one<{ found: boolean }>(
        db,
        `select exists (
           select from connections where user_id = $1 and state <> 'pending' and deleted_at is null) as found`,
        [userID],
      ))!.found,
  };
}

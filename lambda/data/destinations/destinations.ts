// SQL of destinations. Stream keys and passphrases are sealed before they get here.
import type { PlatformName } from '../../domain/channels/managed-platforms.ts';
import { lastCheck } from './destination-checks.ts';
import type { DestinationCheck } from './destination-checks.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { Locked } from '../shared/locked.ts';

export interface Destination {
  readonly id: string;
  readonly seq: number;
  readonly user_id: string;
  readonly name: string;
  /** Address, over any way out; empty for a connected channel. */
  readonly url: string;
  /** Address of a second, redundant feed; null without one. */
  readonly backup_url: string | null;
  readonly sealed_stream_key: Buffer;
  /** Time that an SRT listener waits for lost packets; null for other ways out. */
  readonly srt_latency_ms: number | null;
  readonly srt_stream_id: string | null;
  readonly sealed_srt_passphrase: Buffer | null;
  readonly created_at: Date;
  /** When a stream last went live there, recorded once a minute. */
  readonly last_used_at: Date | null;
  readonly archived_at: Date | null;
  /** The connected channel that it stands for; null for an address that its user gave. */
  readonly connection_id: string | null;
  readonly channel_platform: PlatformName | null;
  /** Title of that channel; null without one. */
  readonly channel_title: string | null;
  /** Null: its addresses were never checked. */
  readonly last_check: DestinationCheck | null;
}

export interface NewDestination {
  readonly id: string;
  readonly userID: string;
  readonly settings: DestinationSettings;
}

/** The columns that an update sets. */
export type DestinationSettings = Pick<
  Destination,
  'name' | 'url' | 'backup_url' | 'sealed_stream_key' | 'srt_latency_ms' | 'srt_stream_id' | 'sealed_srt_passphrase'
>;

/** The columns of a destination, in statements that call the table `d`. */
const columns = `d.*, (select title_cached from connections where id = d.connection_id) as channel_title,
  (select platform from connections where id = d.connection_id) as channel_platform, ${lastCheck} as last_check`;

/** The settings in the order of the parameters. */
function valuesOf(settings: DestinationSettings): unknown[] {
  return [
    settings.name,
    settings.url,
    settings.backup_url,
    settings.sealed_stream_key,
    settings.srt_latency_ms,
    settings.srt_stream_id,
    settings.sealed_srt_passphrase,
  ];
}

/**
 * SQL that records the use of destinations, unless it was recorded within the last minute: starts come by the hundred.
 * @param used SQL of the ids of the destinations
 */
const marking = (used: string) =>
  `with unrecorded as (
     select id from destinations
     where id in (${used}) and (last_used_at is null or last_used_at < now() - interval '1 minute')
     order by id for no key update)
   update destinations d set last_used_at = now() from unrecorded where d.id = unrecorded.id`;

export function destinations(db: Queryable) {
  return {
    insert: async ({ id, userID, settings }: NewDestination) =>
      (await one<Locked<Destination>>(
        db,
        `insert into destinations as d (id, user_id, name, url, backup_url, sealed_stream_key, srt_latency_ms,
           srt_stream_id, sealed_srt_passphrase)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning ${columns}`,
        [id, userID, ...valuesOf(settings)],
      ))!,

    /**
     * Makes the destination that stands for a connected channel, unless it exists. Its address is empty: each stream
     * has an ingest of its own there.
     */
    insertOfConnection: (made: { id: string; connectionID: string; name: string; sealedStreamKey: Buffer }) =>
      db.query(
        `insert into destinations (id, user_id, connection_id, name, url, sealed_stream_key)
         select $1, user_id, id, $3, '', $4 from connections where id = $2
         on conflict (connection_id) do nothing`,
        [made.id, made.connectionID, made.name, made.sealedStreamKey],
      ),

    find: (userID: string, id: string) =>
      one<Destination>(db, `select ${columns} from destinations d where id = $1 and user_id = $2`, [id, userID]),

    /** These users' destinations among these, in no order. */
    findMany: (userIDs: readonly string[], ids: readonly string[]) =>
      all<Destination>(db, `select ${columns} from destinations d where user_id = any ($1) and id = any ($2)`, [
        userIDs,
        ids,
      ]),

    lock: (userID: string, id: string) =>
      one<Locked<Destination>>(db, `select ${columns} from destinations d where id = $1 and user_id = $2 for update`, [
        id,
        userID,
      ]),

    /** The destination, which no other transaction archives until this one ends. */
    lockForUse: (userID: string, id: string) =>
      one<Destination>(db, `select ${columns} from destinations d where id = $1 and user_id = $2 for key share`, [
        id,
        userID,
      ]),

    /** These users' destinations among these, which no other transaction archives or changes until this one ends. */
    lockManyForUse: (userIDs: readonly string[], ids: readonly string[]) =>
      all<Destination>(
        db,
        `select ${columns} from destinations d where user_id = any ($1) and id = any ($2) order by id for key share`,
        [userIDs, ids],
      ),

    /**
     * The other destinations of all streams that have an output to this destination. No other transaction changes them
     * until this one ends.
     */
    lockOthersForUse: (id: string) =>
      all<Destination>(
        db,
        `select ${columns} from destinations d where id in (
           select other.destination_id from outputs one join outputs other on other.stream_id = one.stream_id
           where one.destination_id = $1 and other.destination_id <> $1
             and one.deleted_at is null and other.deleted_at is null)
         order by id for key share`,
        [id],
      ),

    list: (userID: string, archived: boolean, before: number | null, count: number) =>
      all<Destination>(
        db,
        `select ${columns} from destinations d
         where user_id = $1 and (archived_at is not null) = $2 and ($3::bigint is null or seq < $3)
         order by seq desc limit $4`,
        [userID, archived, before, count],
      ),

    save: async (id: string, settings: DestinationSettings) =>
      (await one<Locked<Destination>>(
        db,
        `update destinations d set name = $2, url = $3, backup_url = $4, sealed_stream_key = $5,
           srt_latency_ms = $6, srt_stream_id = $7, sealed_srt_passphrase = $8
         where id = $1 returning ${columns}`,
        [id, ...valuesOf(settings)],
      ))!,

    archive: (id: string) => db.query('update destinations set archived_at = now() where id = $1', [id]),

    restore: async (id: string) =>
      (await one<Locked<Destination>>(
        db,
        `update destinations d set archived_at = null where id = $1 returning ${columns}`,
        [id],
      ))!,

    /** Deletes archived destinations of a user that no stream names, except for the last `kept` ones. */
    forgetArchived: (userID: string, kept: number) =>
      db.query(
        `delete from destinations where id in (
           select id from destinations d
           where user_id = $1 and archived_at is not null
             and not exists (select from streams where destination_id = d.id)
             and not exists (select from outputs where destination_id = d.id)
           order by archived_at desc offset $2)`,
        [userID, kept],
      ),

    /** Whether a live stream is sent to the destination. */
    isInUse: async (id: string) =>
      (await one<{ used: boolean }>(
        db,
        `select exists (
           select from streams
           where deleted_at is null and id in (
               select id from streams where destination_id = $1
               union select stream_id from outputs where destination_id = $1 and deleted_at is null)
             and state in ('preparing', 'activating', 'active', 'failing', 'stopping')) as used`,
        [id],
      ))!.used,

    /** Replaces an address in all destinations, after an ingest of ours has moved. */
    moveAddress: (fromURL: string, toURL: string) =>
      db.query('update destinations set url = $2 where url = $1', [fromURL, toURL]),

    /**
     * Records that streams went live at their destinations. It locks the destinations in the order of their ids, to
     * avoid deadlocks.
     */
    markUsedBy: (streamIDs: readonly string[]) =>
      db.query(
        marking(`
           select destination_id from streams
           where id = any ($1) and stream_destination is distinct from 'managed'
           union
           select d.id from streams s
             join managed_settings m on m.id = s.managed_settings_id
             join destinations d on d.connection_id = m.connection_id
           where s.id = any ($1) and s.stream_destination = 'managed'`),
        [streamIDs],
      ),

    /** Records that outputs other than the first of their streams went live at their destinations. */
    markUsedByOutputs: (outputIDs: readonly string[]) =>
      db.query(marking('select destination_id from outputs where id = any ($1)'), [outputIDs]),
  };
}

// SQL of the sound of streams: the measured loudness of contents, and the levels of runs.
import type { Loudness } from '../../domain/playout/loudness.ts';
import type { TimedLevel } from '../../domain/playout/sound.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

/** A level of an item of a run. */
export interface ItemLevel extends TimedLevel {
  readonly itemID: string;
  readonly uploadID: string;
}

/** An upload whose loudness is measured from beginning to end. */
export interface MeasuredUpload {
  readonly upload_id: string;
  readonly content_hash: string;
  /** Null for silence. */
  readonly loudness: Loudness | null;
}

/** SQL condition: the stream `s` is sent, or is about to be. */
const isSent = "s.status = 'ACTIVE'";

export function streamSounds(db: Queryable) {
  return {
    /** The measured uploads among these, in no order. */
    measured: (uploadIDs: readonly string[]) =>
      all<MeasuredUpload>(
        db,
        `select u.id as upload_id, u.content_hash, i.loudness
         from uploads u join inspections i on i.content_hash = u.content_hash
         where u.id = any ($1) and i.state = 'completed' and i.share = 1`,
        [uploadIDs],
      ),

    /** The loudness of a content; null: silence; undefined: not measured. */
    loudnessOf: async (contentHash: string) =>
      (
        await one<Pick<MeasuredUpload, 'loudness'>>(
          db,
          `select loudness from inspections where content_hash = $1 and state = 'completed' and share = 1`,
          [contentHash],
        )
      )?.loudness,

    /**
     * Adds levels of a run. A level replaces another of the same item and time. Each of these items keeps its last few
     * levels: the item on the air uses one of these. Levels of all other items are deleted.
     */
    addLevels: (streamID: string, levels: readonly ItemLevel[], itemIDs: readonly string[]) =>
      db.query(
        `with ranked as (
           select item_id, upload_id, from_seconds,
             row_number() over (partition by item_id, upload_id order by from_seconds desc) as number
           from timeline_levels where stream_id = $1),
         overtaken as (
           delete from timeline_levels l using ranked r
           where l.stream_id = $1 and l.item_id = r.item_id and l.upload_id = r.upload_id
             and l.from_seconds = r.from_seconds and (r.number > 3 or r.item_id <> all ($3))),
         added as (
           insert into timeline_levels (stream_id, item_id, upload_id, from_seconds, level)
             select $1, added ->> 'itemID', added ->> 'uploadID', (added ->> 'fromSeconds')::double precision,
               nullif(added -> 'level', 'null')
             from jsonb_array_elements($2) as added
           on conflict (stream_id, item_id, upload_id, from_seconds) do update set level = excluded.level)
         update replicas set timeline_revision = timeline_revision + 1 where stream_id = $1`,
        [streamID, JSON.stringify(levels), itemIDs],
      ),

    /** Writes the first levels of runs. */
    beginLevels: async (begun: readonly { readonly streamID: string; readonly levels: readonly ItemLevel[] }[]) => {
      const rows = begun.flatMap(({ streamID, levels }) => levels.map((level) => ({ streamID, ...level })));
      if (rows.length === 0) return;
      await db.query(
        `insert into timeline_levels (stream_id, item_id, upload_id, from_seconds, level)
         select * from unnest($1::text[], $2::text[], $3::text[], $4::float8[], $5::jsonb[])`,
        [
          rows.map(({ streamID }) => streamID),
          rows.map(({ itemID }) => itemID),
          rows.map(({ uploadID }) => uploadID),
          rows.map(({ fromSeconds }) => fromSeconds),
          rows.map(({ level }) => level),
        ],
      );
    },

    /** Records the number of items that are sent without levelled sound until it is prepared. */
    setPending: (id: string, count: number) =>
      db.query('update streams set pending_sound = $2 where id = $1 and pending_sound is distinct from $2', [
        id,
        count,
      ]),

    /** Ids of the sent streams that play an upload with this content. */
    playing: async (contentHash: string) => {
      const rows = await all<{ id: string }>(
        db,
        `select distinct s.id from uploads u join streams s on s.user_id = u.user_id and s.deleted_at is null
           join timeline_entries t on t.stream_id = s.id
         where u.content_hash = $1 and ${isSent}
           and t.snapshot -> 'items' @> jsonb_build_array(jsonb_build_object('uploadID', u.id))
         order by s.id`,
        [contentHash],
      );
      return rows.map(({ id }) => id);
    },

    /**
     * Ids of streams with items that are sent without levelled sound: first the streams that were not checked yet, then
     * any others.
     */
    withPending: async (count: number) => {
      const rows = await all<{ id: string }>(
        db,
        `select id from streams s where pending_sound is distinct from 0 and ${isSent}
         order by pending_sound is not null, random() limit $1`,
        [count],
      );
      return rows.map(({ id }) => id);
    },
  };
}

// SQL of timelines: the snapshots that a run plays, each from a time on.
import { bounds } from '../../domain/shared/bounds.ts';
import type { TimelineEntry, TimelineItem, TimelineSnapshot } from '../../domain/playout/play-out.ts';
import type { TimedLevel } from '../../domain/playout/sound.ts';
import { all } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export type Track = 'video' | 'audio';

/** An entry of a timeline as it is stored, also for past runs. */
export interface EntryRow {
  readonly track: Track;
  readonly number: number;
  readonly offset_seconds: number;
  readonly playlist_id: string | null;
  readonly snapshot: TimelineSnapshot;
}

/** The first entry of a track of a run. */
export interface FirstEntry {
  readonly streamID: string;
  readonly track: Track;
  /** Null: the track is one upload. */
  readonly playlistID: string | null;
  readonly snapshot: TimelineSnapshot;
}

interface LevelRow {
  readonly item_id: string;
  readonly upload_id: string;
  readonly levels: readonly TimedLevel[];
}

/** Timelines by track. The audio track is empty if the video's own sound is played. */
export type Timelines = Readonly<Record<Track, readonly TimelineEntry[]>>;

/** A part of a run, in seconds after its anchor. */
export interface RunTime {
  readonly fromSeconds: number;
  readonly toSeconds: number;
}

/**
 * The entries in force from an hour ago on, without the facts of their rows: all that a publisher needs. If they are
 * large, only those in force from a minute ago on, as publishers hold them in memory.
 */
export type Recent = 'recent';
const recent = { seconds: 3600, largeSeconds: 60, bytes: 8 * 1024 * 1024 } as const;

/** A part of the entries of a run, without the levels of their items. */
export interface RunPart {
  readonly timelines: Timelines;
  /** The time until which the part is complete, in seconds after the anchor; Infinity: to the end of its range. */
  readonly untilSeconds: number;
}

/** The most JSON of a track in a part, beside its first two entries. */
const partBytes = 8 * 1024 * 1024;

const wholeRun: RunTime = { fromSeconds: -Infinity, toSeconds: Infinity };

export interface TimelineSources {
  /** Whether other sound than the pictures' own is played, or the same at another loudness. */
  readonly hasSoundTrack: boolean;
  /** The highest `Upload.decode_cost` of its pictures; 0 for stills; null: unknown. */
  readonly decodeCost: number | null;
}

/** The number of latest entries that stay at any size: one of them is playing, and later ones have not begun. */
const mostInReach = 20;

export function timelines(db: Queryable) {
  /**
   * Replaces the entries from a time on, in seconds after the anchor, by others that follow each other. Entries that
   * were over long before are deleted beyond `keptBytes` of the track.
   */
  const replaceFrom = async (
    streamID: string,
    track: Track,
    fromSeconds: number,
    entries: readonly Omit<TimelineEntry, 'number'>[],
    keptBytes = bounds.keptBytesPerTrack,
  ) => {
    await db.query(
      'delete from timeline_entries where stream_id = $1 and track = $2 and offset_seconds >= $3 and number > 0',
      [streamID, track, fromSeconds],
    );
    await db.query(
      `insert into timeline_entries (stream_id, track, number, offset_seconds, playlist_id, snapshot, bytes)
       select $1, $2, coalesce((select max(number) from timeline_entries where stream_id = $1 and track = $2), -1)
         + place, offset_seconds, playlist_id, snapshot, octet_length(snapshot::text)
       from unnest($3::float8[], $4::text[], $5::jsonb[]) with ordinality
         as e (offset_seconds, playlist_id, snapshot, place)`,
      [
        streamID,
        track,
        entries.map(({ offsetSeconds }) => offsetSeconds),
        entries.map(({ playlistID }) => playlistID),
        entries.map(({ snapshot }) => snapshot),
      ],
    );
    await db.query(
      `delete from timeline_entries where stream_id = $1 and track = $2 and number in (
         select number from (
           select number, row_number() over latest as place, sum(${jsonBytes(4)}) over latest as bytes
           from timeline_entries where stream_id = $1 and track = $2 window latest as (order by number desc)) sized
         where place > $4 and bytes > $3)`,
      [streamID, track, keptBytes, mostInReach - 1 + entries.length],
    );
  };

  return {
    /**
     * Writes the first entries of runs, and deletes what former runs of these streams left: timelines with levels,
     * joins and looks, replicas, outputs that were being removed, and due times. Call it with the streams locked and no
     * replica running. It is one statement: a start by hand costs most by its number of statements.
     */
    begin: (streamIDs: readonly string[], entries: readonly FirstEntry[]) =>
      db.query(
        `with levels as (delete from timeline_levels where stream_id = any ($1)),
           joins as (delete from timeline_joins where stream_id = any ($1)),
           looks as (delete from timeline_looks where stream_id = any ($1)),
           former as (delete from timeline_entries where stream_id = any ($1) returning number),
           ended as (delete from replicas where stream_id = any ($1)),
           removed as (delete from outputs where stream_id = any ($1) and deleted_at is not null),
           times as (delete from due_times where stream_id = any ($1))
         insert into timeline_entries (stream_id, track, number, offset_seconds, playlist_id, snapshot, bytes)
         select stream_id, track, 0, 0, playlist_id, snapshot, octet_length(snapshot::text)
         from unnest($2::text[], $3::text[], $4::text[], $5::jsonb[]) as e (stream_id, track, playlist_id, snapshot)
         -- The count is read before the first row: a former entry with the same key is deleted by then.
         where (select count(*) from former) >= 0`,
        [
          streamIDs,
          entries.map(({ streamID }) => streamID),
          entries.map(({ track }) => track),
          entries.map(({ playlistID }) => playlistID),
          entries.map(({ snapshot }) => snapshot),
        ],
      ),

    /**
     * Adds an entry that begins `offsetSeconds` after the anchor of the run, and deletes entries that would begin
     * later. Entries beyond `keptBytes` of the track that were played long before are deleted.
     */
    append: (
      streamID: string,
      track: Track,
      entry: Omit<TimelineEntry, 'number'>,
      keptBytes = bounds.keptBytesPerTrack,
    ) => replaceFrom(streamID, track, entry.offsetSeconds, [entry], keptBytes),

    replaceFrom,

    /** The future times at which streams begin to play the last publish of these playlists, by playlist id. */
    takeOvers: async (playlistIDs: readonly string[]) => {
      const rows = await all<{ playlist_id: string; at: Date }>(
        db,
        `select e.playlist_id, max(s.anchored_at + make_interval(secs => e.offset_seconds)) as at
         from playlists p join streams s on s.id = p.stream_id join timeline_entries e on e.stream_id = s.id
         where p.id = any ($1) and e.playlist_id = p.id and s.state in ('active', 'failing')
           and s.anchored_at + make_interval(secs => e.offset_seconds) > now()
         group by e.playlist_id`,
        [playlistIDs],
      );
      return new Map(rows.map((row) => [row.playlist_id, row.at]));
    },

    /** The facts of the timelines of these streams from now on that decide their costs for agents, by stream. */
    sources: async (streamIDs: readonly string[]): Promise<ReadonlyMap<string, TimelineSources>> => {
      const rows = await all<{ id: string; has_sound_track: boolean; decode_cost: number | null }>(
        db,
        `select asked.id,
           exists (select from timeline_entries where stream_id = asked.id and track = 'audio')
             or exists (select from timeline_levels where stream_id = asked.id and level is not null)
             as has_sound_track,
           (select max(case when duration_seconds is null then 0 else decode_cost end) from uploads
            where id = any (array(
              select item ->> 'uploadID' from timeline_entries, jsonb_array_elements(snapshot -> 'items') as item
              where stream_id = asked.id and track = 'video' and number >= playing.number))) as decode_cost
         from unnest($1::text[]) as asked (id) join streams s using (id)
           cross join lateral (
             select coalesce(max(number), 0) as number from timeline_entries
             where stream_id = s.id and track = 'video'
               and offset_seconds <= extract(epoch from now() - s.anchored_at)) playing`,
        [streamIDs],
      );
      return new Map(
        rows.map(({ id, has_sound_track: hasSoundTrack, decode_cost: decodeCost }) => [
          id,
          { hasSoundTrack, decodeCost },
        ]),
      );
    },

    /**
     * The timelines of a run, with the entries that are in force during a part of it. The range begins near the present
     * time, as earlier entries may be too large for one answer: see `partOf`.
     */
    ofStream: async (streamID: string, time: RunTime | Recent = wholeRun): Promise<Timelines> => {
      const rows =
        time === 'recent'
          ? await all<EntryRow>(db, recentEntries, [streamID])
          : await all<EntryRow>(db, presentEntries, [streamID, time.fromSeconds, time.toSeconds, Infinity]);
      const itemIDs = new Set(rows.flatMap(({ snapshot }) => snapshot.items.map(({ itemID }) => itemID)));
      const levels = await all<LevelRow>(
        db,
        `select item_id, upload_id,
           jsonb_agg(jsonb_build_object('fromSeconds', from_seconds, 'level', level) order by from_seconds) as levels
         from timeline_levels where stream_id = $1 and item_id = any ($2) group by item_id, upload_id`,
        [streamID, [...itemIDs]],
      );
      const withLevels = levelling(levels);
      return timelinesOf(
        rows.map((row) => ({ ...row, snapshot: { ...row.snapshot, items: row.snapshot.items.map(withLevels) } })),
      );
    },

    /**
     * The entries of one track that are in force during a part of a run, for readers of the ids and times of items:
     * names and object keys are empty, and the facts of planned rows, titles and levels are missing.
     */
    outlineOf: async (streamID: string, track: Track, { fromSeconds, toSeconds }: RunTime) => {
      const rows = await all<EntryRow>(db, outlineEntries, [streamID, fromSeconds, toSeconds, Infinity, track]);
      return timelinesOf(rows)[track];
    },

    /** The first entries of the present run that are in force during a part of it. */
    partOf: async (streamID: string, { fromSeconds, toSeconds }: RunTime): Promise<RunPart> =>
      partOfRows(await all<PartRow>(db, presentEntries, [streamID, fromSeconds, toSeconds, partBytes])),
  };
}

/** The first entries of a past run that are in force during a part of it. */
export async function pastPart(
  db: Queryable,
  streamID: string,
  anchoredAt: Date,
  { fromSeconds, toSeconds }: RunTime,
): Promise<RunPart> {
  return partOfRows(await all<PartRow>(db, pastEntries, [streamID, fromSeconds, toSeconds, partBytes, anchoredAt]));
}

/** SQL of the length of a snapshot as JSON. Entries of earlier releases have none: it is estimated by their size. */
function jsonBytes(compression: number): string {
  return `coalesce(bytes, ${compression} * pg_column_size(snapshot))`;
}

/**
 * SQL of the entries of a run that are in force between two times, up to a number of bytes of a track, with a second
 * more on each side, as entries begin on the grid of frames. The next entry is with them: it cuts off the last item. If
 * the first one is a queued item, the list before it is with them, as the list continues from there.
 */
const entriesOf = (table: string, ofRun: string, snapshot = 'snapshot', tracks = `('video'), ('audio')`) =>
  `select track, number, offset_seconds, playlist_id, ${snapshot} as snapshot, is_cut from (
     select e.track, e.number, e.offset_seconds, e.playlist_id, e.snapshot,
       coalesce(sum(${jsonBytes(32)})
         over (behind rows between unbounded preceding and 1 preceding), 0) as bytes_before,
       lag(e.offset_seconds) over behind as before_seconds,
       e.number < last_value(e.number) over (behind rows between current row and unbounded following) as is_cut
     from (values ${tracks}) as tracks (track)
       cross join lateral (
         select coalesce((
           select number from ${table}
           where ${ofRun} and track = tracks.track and offset_seconds <= $2::float8 - 1 and not snapshot ? 'isQueued'
           order by number desc limit 1), 0) as number) first
       cross join lateral (
         select coalesce(min(number), ${lastNumber}) as number from ${table}
         where ${ofRun} and track = tracks.track and offset_seconds >= $3::float8 + 1) last
       join ${table} e on ${ofRun} and e.track = tracks.track and e.number between first.number and last.number
     window behind as (partition by e.track order by e.number)) entries
   where bytes_before < $4::float8 or before_seconds <= $2::float8 + 1
   order by number`;

/** The greatest integer of Postgres. */
const lastNumber = 2_147_483_647;

const presentEntries = entriesOf('timeline_entries', 'stream_id = $1');
/** SQL of a snapshot whose texts and facts of rows are empty: they are most of a long list. */
const outline = `snapshot
  || case when snapshot ? 'planned' then jsonb '{ "planned": [] }' else '{}' end
  || jsonb_build_object('items', (
    select coalesce(jsonb_agg(item - 'titles' || '{ "name": "", "objectKey": "" }' order by place), '[]')
    from jsonb_array_elements(snapshot -> 'items') with ordinality as items (item, place)))`;
const outlineEntries = entriesOf('timeline_entries', 'stream_id = $1', outline, '($5::text)');
const pastEntries = entriesOf('past_entries', 'stream_id = $1 and anchored_at = $5');

/** SQL of the number of the entry of a track in force so many seconds ago; 0: none was. */
const inForceAgo = (seconds: number) => `(
  select coalesce(max(number), 0) as number from timeline_entries
  where stream_id = $1 and track = tracks.track and offset_seconds <= elapsed.seconds - ${seconds + 1})`;

const recentEntries = `
  select e.track, e.number, e.offset_seconds, e.playlist_id, e.snapshot - 'planned' as snapshot
  from (select extract(epoch from now() - anchored_at)::float8 as seconds from streams where id = $1) elapsed
    cross join (values ('video'), ('audio')) as tracks (track)
    cross join lateral ${inForceAgo(recent.seconds)} early
    cross join lateral ${inForceAgo(recent.largeSeconds)} late
    cross join lateral (
      select min(number) as number from (
        select number, sum(${jsonBytes(4)}) over (order by number desc) as total
        from timeline_entries where stream_id = $1 and track = tracks.track and number >= early.number) sized
      where total <= ${recent.bytes} or number >= late.number) first
    join timeline_entries e on e.stream_id = $1 and e.track = tracks.track and e.number >= first.number
  order by e.number`;

/** An entry of a part. */
interface PartRow extends EntryRow {
  /** Whether the range has later entries of its track. */
  readonly is_cut: boolean;
}

/** @param rows by number, ascending */
function partOfRows(rows: readonly PartRow[]): RunPart {
  const ends = (['video', 'audio'] as const).map((track) => {
    const last = rows.findLast((row) => row.track === track);
    return last?.is_cut ? last.offset_seconds : Infinity;
  });
  return { timelines: timelinesOf(rows), untilSeconds: Math.min(...ends) };
}

/** A function that adds the levels to items. */
function levelling(rows: readonly LevelRow[]): (item: TimelineItem) => TimelineItem {
  if (rows.length === 0) return (item) => item;
  const levels = new Map(rows.map((row) => [`${row.item_id}/${row.upload_id}`, row.levels]));
  return (item) => {
    const found = levels.get(`${item.itemID}/${item.uploadID}`);
    return found ? { ...item, levels: found } : item;
  };
}

/** The timelines of both tracks. @param rows by number, ascending */
function timelinesOf(rows: readonly EntryRow[]): Timelines {
  const entriesOf = (track: Track) =>
    rows
      .filter((row) => row.track === track)
      .map((row) => ({
        number: row.number,
        offsetSeconds: row.offset_seconds,
        playlistID: row.playlist_id,
        snapshot: row.snapshot,
      }));
  return { video: entriesOf('video'), audio: entriesOf('audio') };
}

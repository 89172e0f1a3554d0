// SQL of streams.
import { ofAspect } from '../../domain/playout/look.ts';
import type { AiredStretch } from '../../domain/playout/aired.ts';
import type { Aspect } from '../../domain/playout/look.ts';
import type { PictureFormat } from '../../domain/playout/rendition.ts';
import type { StreamState, StreamStatus } from '../../domain/streams/stream-lifecycle.ts';
import { settingColumns } from '../../domain/streams/stream-settings.ts';
import type { StreamSettings } from '../../domain/streams/stream-settings.ts';
import type { StateReason } from '../../domain/streams/stream-words.ts';
import type { Framerate, Quality, VideoCodec } from '../../domain/shared/video-format.ts';
import type { User } from '../accounts/users.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { Locked } from '../shared/locked.ts';

/** The recurrence of a schedule. Times are ISO 8601, as in JSON. */
export interface StreamRecurrence {
  readonly rule: string;
  readonly timeZone: string;
  readonly firstStartAt: string;
  readonly lengthSeconds: number | null;
  /** The start that is scheduled, or was scheduled last, and the starts after it. */
  readonly upcoming: readonly string[];
  /** Upcoming starts that are skipped; absent: none. */
  readonly skipped?: readonly string[];
}

export interface Stream extends StreamSettings {
  readonly id: string;
  readonly seq: number;
  readonly user_id: string;
  readonly recurrence: StreamRecurrence | null;
  readonly status: StreamStatus;
  readonly state: StreamState;
  readonly state_reason: StateReason | null;
  readonly processing_state: 'idle' | 'processing' | 'failed';
  readonly last_transition_id: number | null;
  /** The format of this run, or of the last one. Null before the first one. */
  readonly run_quality: Quality | null;
  readonly run_framerate: Framerate | null;
  readonly run_video_codec: VideoCodec | null;
  /** Null: 16:9. */
  readonly run_aspect: Aspect | null;
  /** The slots that the outputs of this run, or of the last one, take of the user's limit. */
  readonly run_slots: number;
  readonly started_at: Date | null;
  readonly stopped_at: Date | null;
  readonly anchored_at: Date | null;
  readonly stats: StreamStats | null;
  /** The number of items that are sent without levelled sound until it is prepared; null: not checked yet. */
  readonly pending_sound: number | null;
  /** The number of joins of the next minutes that are cuts until they are prepared; null: no item has joins. */
  readonly pending_joins: number | null;
  /** The tracks with a published programme; null: none. */
  readonly planned_tracks: readonly ('video' | 'audio')[] | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  /**
   * Set if the stream was deleted while it was live or had open broadcasts. Users no longer see it. The row is deleted
   * when its replicas and broadcasts have ended.
   */
  readonly deleted_at: Date | null;
}

/**
 * The format of pictures of a run that begins now: the stream's own settings, else the user's defaults.
 */
export function formatOfStart(
  { quality, framerate, video_codec, look }: Pick<Stream, 'quality' | 'framerate' | 'video_codec' | 'look'>,
  user: User,
): PictureFormat {
  return {
    quality: quality ?? user.default_quality,
    framerate: framerate ?? user.default_framerate,
    videoCodec: video_codec ?? 'h264',
    ...ofAspect(look?.aspect ?? null),
  };
}

/** The format of the pictures of a run. */
export function formatOfRun({
  run_quality,
  run_framerate,
  run_video_codec,
  run_aspect,
}: Pick<Stream, 'run_quality' | 'run_framerate' | 'run_video_codec' | 'run_aspect'>): PictureFormat {
  const size = { quality: run_quality!, ...ofAspect(run_aspect) };
  return { ...size, framerate: run_framerate!, videoCodec: run_video_codec! };
}

/** The last figures that an agent reported for the stream's primary replica. */
export interface StreamStats {
  /**
   * The least media since the figures before that was encoded and not due yet; negative: it was sent so late. Null
   * where nothing is encoded while it is sent.
   */
  readonly secondsInHand: number | null;
  readonly bitrateKbps: number;
  readonly framesPerSecond: number;
  readonly framesSent: number;
  readonly bytesSent: number;
  readonly droppedFrames: number;
  /** Due and not sent yet. */
  readonly lateFrames: number;
  readonly reconnects: number;
  readonly loopCount: number;
  readonly currentItem: { playlistID: string | null; itemID: string; uploadID: string; positionSeconds: number } | null;
  /** The last that destinations took of it. */
  readonly aired: readonly AiredStretch[];
  readonly sampledAt: string;
}

/** The schedule of a stream; nulls: it has none. */
export interface StreamSchedule {
  readonly id: string;
  readonly startAt: Date | null;
  readonly endAt: Date | null;
  readonly recurrence: StreamRecurrence | null;
}

export function streams(db: Queryable) {
  const setSchedules = (schedules: readonly StreamSchedule[]) =>
    all<Locked<Stream>>(
      db,
      `update streams s set schedule_start_at = o.start_at, schedule_end_at = o.end_at, recurrence = o.recurrence,
         updated_at = now()
       from unnest($1::text[], $2::timestamptz[], $3::timestamptz[], $4::jsonb[])
         as o (id, start_at, end_at, recurrence)
       where s.id = o.id returning s.*`,
      [
        schedules.map(({ id }) => id),
        schedules.map(({ startAt }) => startAt),
        schedules.map(({ endAt }) => endAt),
        schedules.map(({ recurrence }) => recurrence),
      ],
    );

  return {
    insert: async (id: string, userID: string, settings: StreamSettings) => {
      const parameters = settingColumns.map((_, index) => `$${index + 3}`).join(', ');
      return (await one<Locked<Stream>>(
        db,
        `insert into streams (id, user_id, ${settingColumns.join(', ')}) values ($1, $2, ${parameters}) returning *`,
        [id, userID, ...settingColumns.map((column) => settings[column])],
      ))!;
    },

    saveSettings: async (id: string, settings: StreamSettings) => {
      const assignments = settingColumns.map((column, index) => `${column} = $${index + 2}`).join(', ');
      return (await one<Locked<Stream>>(
        db,
        `update streams set ${assignments}, updated_at = now() where id = $1 returning *`,
        [id, ...settingColumns.map((column) => settings[column])],
      ))!;
    },

    /** A stream of this user. The inner select makes every plan read one row, and not all streams of the user. */
    find: (userID: string, id: string) =>
      one<Stream>(
        db,
        `select * from (select * from streams where id = $1 offset 0) s where user_id = $2 and deleted_at is null`,
        [id, userID],
      ),

    /** The stream, locked. All code that moves a stream to another state locks it first. */
    lock: (userID: string, id: string) =>
      one<Locked<Stream>>(
        db,
        'select * from streams where id = $1 and user_id = $2 and deleted_at is null for update',
        [id, userID],
      ),

    /** The stream of any user, locked. */
    lockAny: (id: string) => one<Locked<Stream>>(db, 'select * from streams where id = $1 for update', [id]),

    /** These streams, locked, by id; those that do not exist are left out. It waits for other transactions' locks. */
    lockMany: (ids: readonly string[]) =>
      all<Locked<Stream>>(db, 'select * from streams where id = any ($1) order by id for update', [ids]),

    /** These streams, locked, without those that another transaction has locked. */
    lockFree: (ids: readonly string[]) =>
      all<Locked<Stream>>(db, 'select * from streams where id = any ($1) for update skip locked', [ids]),

    /** This user's streams among these, the newest first. */
    findMany: (userID: string, ids: readonly string[]) =>
      all<Stream>(
        db,
        'select * from streams where user_id = $1 and id = any ($2) and deleted_at is null order by seq desc',
        [userID, ids],
      ),

    /**
     * Sets the anchor, the time of the first frame of the run, to now, unless it is set. Programmes of the stream are
     * due to be planned then, as the hours of their blocks lie on its frames only now.
     * @returns the anchor, and the time of the database
     */
    anchor: async (id: string) =>
      (await one<{ anchored_at: Date; now: Date }>(
        db,
        `with anchored as (
           update streams set anchored_at = coalesce(anchored_at, clock_timestamp()) where id = $1
           returning new.anchored_at, old.anchored_at is null and new.planned_tracks is not null as is_unplanned),
         planned as (
           insert into due_times (stream_id, kind, due_at) select $1, 'plan', now() from anchored where is_unplanned
           on conflict (stream_id, kind) do update set due_at = excluded.due_at)
         select anchored_at, clock_timestamp() as now from anchored`,
        [id],
      ))!,

    /** A stream that an agent sends, with the time of the database. */
    forPublishing: async (id: string) => {
      const { now, ...stream } = (await one<Stream & { now: Date }>(
        db,
        'select *, clock_timestamp() as now from streams where id = $1',
        [id],
      ))!;
      return { stream, now };
    },

    /** Sets the slots that the outputs of a run take. */
    setSlots: (id: string, slots: number) => db.query('update streams set run_slots = $2 where id = $1', [id, slots]),

    setReason: (id: string, reason: StateReason | null) =>
      db.query('update streams set state_reason = $2, updated_at = now() where id = $1', [id, reason]),

    /** Records why an active stream will go off the air soon; null: nothing threatens it. */
    warn: (id: string, reason: StateReason | null) =>
      db.query(
        `update streams set state_reason = $2, updated_at = now()
         where id = $1 and state = 'active' and state_reason is distinct from $2`,
        [id, reason],
      ),

    setSchedule: async (id: string, startAt: Date | null, endAt: Date | null, recurrence: Stream['recurrence']) =>
      (await setSchedules([{ id, startAt, endAt, recurrence }]))[0]!,

    setSchedules,

    markDeleted: (id: string) => db.query('update streams set deleted_at = now() where id = $1', [id]),

    delete: (id: string) => db.query('delete from streams where id = $1', [id]),
  };
}

// SQL of streams and the history of their transitions.
import type { PictureFormat } from '../domain/rendition.ts';
import { nextState } from '../domain/stream-lifecycle.ts';
import type { StreamState, StreamStatus, TransitionCause } from '../domain/stream-lifecycle.ts';
import type { Framerate, Quality, VideoCodec } from '../domain/video-format.ts';
import type { User } from './users.ts';
import { all, one } from './queryable.ts';
import type { Queryable } from './queryable.ts';

export const streamBackends = ['ffmpeg', 'manifest'] as const;
export type StreamBackend = (typeof streamBackends)[number];

export interface StateReason {
  readonly code: string;
  readonly detail: string;
}

/** The columns that create_stream and update_stream set. */
export interface StreamSettings {
  readonly name: string | null;
  readonly agent_mode_enabled: boolean | null;
  readonly run_backup_stream: boolean | null;
  readonly video_upload_id: string | null;
  readonly audio_upload_id: string | null;
  readonly destination_id: string | null;
  readonly playlist_ids: readonly string[];
  readonly prepared_playlist_ids: readonly string[];
  readonly quality: Quality | null;
  readonly framerate: Framerate | null;
  /** Null: H.264. */
  readonly video_codec: VideoCodec | null;
  readonly stream_backend: StreamBackend | null;
  readonly stream_destination: 'managed' | null;
  readonly stream_duration_seconds: number | null;
  readonly managed_settings_id: string | null;
  readonly sealed_stream_key: Buffer | null;
  readonly schedule_start_at: Date | null;
  readonly schedule_end_at: Date | null;
}

/** The recurrence of a schedule. Times are ISO 8601, as in JSON. */
export interface StreamRecurrence {
  readonly rule: string;
  readonly timeZone: string;
  readonly firstStartAt: string;
  readonly lengthSeconds: number | null;
  /** The start that is armed, or was armed last, and those that come after it. */
  readonly upcoming: readonly string[];
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
  /** The quality of this run, or of the last one: the stream's own or the user's default, as it was at the start. */
  readonly run_quality: Quality | null;
  readonly run_framerate: Framerate | null;
  /** Null: H.264, in a run that began before streams had codecs. */
  readonly run_video_codec: VideoCodec | null;
  readonly started_at: Date | null;
  readonly stopped_at: Date | null;
  readonly anchored_at: Date | null;
  readonly stats: StreamStats | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  /**
   * Set if the stream was deleted while live: users do not see it any more, and the row goes once its replicas have
   * ended.
   */
  readonly deleted_at: Date | null;
}

/**
 * The format of pictures that a run would have if it began now: the stream's own settings, else the user's defaults.
 */
export function formatOfStart(
  { quality, framerate, video_codec }: Pick<Stream, 'quality' | 'framerate' | 'video_codec'>,
  user: User,
): PictureFormat {
  return {
    quality: quality ?? user.default_quality,
    framerate: framerate ?? user.default_framerate,
    videoCodec: video_codec ?? 'h264',
  };
}

/** The format that the pictures of a run are prepared to. */
export function formatOfRun({
  run_quality,
  run_framerate,
  run_video_codec,
}: Pick<Stream, 'run_quality' | 'run_framerate' | 'run_video_codec'>): PictureFormat {
  return { quality: run_quality!, framerate: run_framerate!, videoCodec: run_video_codec ?? 'h264' };
}

/** The last figures that an agent reported for the stream's primary replica. */
export interface StreamStats {
  /**
   * The least media since the figures before that was encoded and not due yet; negative: it was sent so late. Null
   * where nothing is encoded while it is sent; absent in figures of the release before.
   */
  readonly secondsInHand?: number | null;
  readonly bitrateKbps: number;
  readonly framesPerSecond: number;
  readonly framesSent: number;
  readonly bytesSent: number;
  readonly droppedFrames: number;
  readonly reconnects: number;
  readonly loopCount: number;
  readonly currentItem: { playlistID: string | null; itemID: string; uploadID: string; positionSeconds: number } | null;
  readonly sampledAt: string;
}

export interface StreamTransition {
  readonly stream_id: string;
  readonly id: number;
  readonly from_state: StreamState;
  readonly to_state: StreamState;
  readonly cause: TransitionCause;
  readonly at: Date;
}

const settingColumns = [
  'name',
  'agent_mode_enabled',
  'run_backup_stream',
  'video_upload_id',
  'audio_upload_id',
  'destination_id',
  'playlist_ids',
  'prepared_playlist_ids',
  'quality',
  'framerate',
  'video_codec',
  'stream_backend',
  'stream_destination',
  'stream_duration_seconds',
  'managed_settings_id',
  'sealed_stream_key',
  'schedule_start_at',
  'schedule_end_at',
] as const satisfies readonly (keyof StreamSettings)[];

export function streams(db: Queryable) {
  return {
    insert: async (id: string, userID: string, settings: StreamSettings) => {
      const parameters = settingColumns.map((_, index) => `$${index + 3}`).join(', ');
      return (await one<Stream>(
        db,
        `insert into streams (id, user_id, ${settingColumns.join(', ')}) values ($1, $2, ${parameters}) returning *`,
        [id, userID, ...settingColumns.map((column) => settings[column])],
      ))!;
    },

    saveSettings: async (id: string, settings: StreamSettings) => {
      const assignments = settingColumns.map((column, index) => `${column} = $${index + 2}`).join(', ');
      return (await one<Stream>(db, `update streams set ${assignments}, updated_at = now() where id = $1 returning *`, [
        id,
        ...settingColumns.map((column) => settings[column]),
      ]))!;
    },

    find: (userID: string, id: string) =>
      one<Stream>(db, 'select * from streams where id = $1 and user_id = $2 and deleted_at is null', [id, userID]),

    /** The stream, locked until the transaction ends. Whatever moves a stream takes turns on this lock. */
    lock: (userID: string, id: string) =>
      one<Stream>(db, 'select * from streams where id = $1 and user_id = $2 and deleted_at is null for update', [
        id,
        userID,
      ]),

    lockAny: (id: string) => one<Stream>(db, 'select * from streams where id = $1 for update', [id]),

    /** Those of these streams that are this user's, the newest first. */
    findMany: (userID: string, ids: readonly string[]) =>
      all<Stream>(
        db,
        'select * from streams where user_id = $1 and id = any ($2) and deleted_at is null order by seq desc',
        [userID, ids],
      ),

    list: (userID: string, state: StreamState | null, before: number | null, count: number) =>
      all<Stream>(
        db,
        `select * from streams
         where user_id = $1 and deleted_at is null and ($2::text is null or state = $2)
           and ($3::bigint is null or seq < $3)
         order by seq desc limit $4`,
        [userID, state, before, count],
      ),

    /**
     * Moves a stream, which the caller has locked, to the state that the table of the lifecycle has for this cause, and
     * writes its history.
     * @returns the stream as it is now; null if the table has no such move
     */
    move: async (stream: Stream, cause: TransitionCause, reason: StateReason | null = null): Promise<Stream | null> => {
      const to = nextState(stream.state, cause);
      if (to === null) return null;
      return one<Stream>(
        db,
        `with transition as (
           insert into stream_transitions (stream_id, from_state, to_state, cause) values ($1, $2, $3, $4) returning id)
         update streams
         set state = $3, state_reason = $5, last_transition_id = (select id from transition), updated_at = now(),
           status = case when $3 in ('preparing', 'activating', 'active', 'failing') then 'ACTIVE' else 'INACTIVE' end,
           stopped_at = case when $2 = 'stopping' or $3 = 'failed' then now() else stopped_at end
         where id = $1 returning *`,
        [stream.id, stream.state, to, cause, reason],
      );
    },

    /** Clears what the run before has left: a new run begins with item 0 and without figures. */
    beginRun: (id: string, { quality, framerate, videoCodec }: PictureFormat) =>
      db.query(
        `update streams
         set started_at = null, stopped_at = null, anchored_at = null, stats = null,
           run_quality = $2, run_framerate = $3, run_video_codec = $4
         where id = $1`,
        [id, quality, framerate, videoCodec],
      ),

    /** Notes when a run was first seen live. */
    markStarted: (id: string) =>
      db.query('update streams set started_at = coalesce(started_at, now()) where id = $1', [id]),

    /**
     * Makes this the instant at which the first frame of the run is due, unless a replica has set it before.
     * @returns the instant that was set, and the database's time
     */
    anchor: async (id: string) =>
      (await one<{ anchored_at: Date; now: Date }>(
        db,
        `update streams set anchored_at = coalesce(anchored_at, clock_timestamp()) where id = $1
         returning anchored_at, clock_timestamp() as now`,
        [id],
      ))!,

    /** A stream that an agent sends, with the database's time. */
    forPublishing: async (id: string) => {
      const { now, ...stream } = (await one<Stream & { now: Date }>(
        db,
        'select *, clock_timestamp() as now from streams where id = $1',
        [id],
      ))!;
      return { stream, now };
    },

    setReason: (id: string, reason: StateReason | null) =>
      db.query('update streams set state_reason = $2, updated_at = now() where id = $1', [id, reason]),

    setSchedule: async (id: string, startAt: Date | null, endAt: Date | null, recurrence: Stream['recurrence']) =>
      (await one<Stream>(
        db,
        `update streams set schedule_start_at = $2, schedule_end_at = $3, recurrence = $4, updated_at = now()
         where id = $1 returning *`,
        [id, startAt, endAt, recurrence],
      ))!,

    /** The last `count` transitions of each of these streams, the newest first. */
    lastTransitions: (ids: readonly string[], count: number) =>
      all<StreamTransition>(
        db,
        `select t.* from unnest($1::text[]) as wanted (stream_id) cross join lateral (
           select stream_id, id, from_state, to_state, cause, at from stream_transitions
           where stream_id = wanted.stream_id order by id desc limit $2) t`,
        [ids, count],
      ),

    markDeleted: (id: string) => db.query('update streams set deleted_at = now() where id = $1', [id]),

    delete: (id: string) => db.query('delete from streams where id = $1', [id]),
  };
}

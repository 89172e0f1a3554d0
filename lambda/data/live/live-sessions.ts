// SQL of live sessions: connections of contributors, reported by the ingest that receives them.
import type { StoredSegments } from '../../domain/live/segment-chain.ts';
import { mostFailingSeconds } from '../../domain/live/session-end.ts';
import type { SessionEnd } from '../../domain/live/session-end.ts';
import type { LiveSource } from '../../domain/live/live-source.ts';
import type { SignalLoss } from '../../domain/live/signal-loss.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export interface LiveSession {
  readonly id: string;
  readonly protocol: 'rtmp' | 'rtmps' | 'srt';
  /** ISO 8601. */
  readonly beganAt: string;
  /** The arrival of the first picture in ISO 8601; null: none has come. */
  readonly firstPictureAt: string | null;
  /** Whole segments that are stored. */
  readonly segmentCount: number;
  /** Null: not known yet. */
  readonly source: LiveSource | null;
  /** ISO 8601; null: it is running. */
  readonly endedAt: string | null;
  readonly endReason: SessionEnd | null;
  /** Its latest losses by silence or black, the oldest first. */
  readonly losses: readonly SignalLoss[];
  /** The uploads of its parts that takeovers have shown, the oldest first. */
  readonly recordings: readonly PresentRecording[];
}

/** A recording of a session, for users. */
export interface PresentRecording {
  readonly takeoverID: string;
  /** Null: it was refused, or the upload was deleted. */
  readonly uploadID: string | null;
  readonly segmentCount: number;
  /** Whether the session was shown for longer than a recording may last. */
  readonly isCut: boolean;
  /** The limit that was reached, in words; null: it was not refused. */
  readonly refusal: string | null;
}

/** A session that begins. */
export interface NewSession {
  readonly id: string;
  readonly liveInputID: string;
  readonly protocol: string;
  readonly address: string;
  /** The name of the format of its segments. */
  readonly format: string;
  /** The kind of their encoder. */
  readonly encoder: string;
}

/** SQL of a session as JSON, in statements that call the table `s`. */
const sessionJSON = `jsonb_build_object('id', s.id, 'protocol', s.protocol, 'beganAt', s.began_at,
  'firstPictureAt', s.first_picture_at, 'segmentCount', s.segment_count, 'source', s.source,
  'endedAt', s.ended_at, 'endReason', s.end_reason, 'losses', s.losses, 'recordings', (
    select coalesce(jsonb_agg(jsonb_build_object('takeoverID', r.takeover_id, 'uploadID', r.upload_id,
      'segmentCount', r.segment_count, 'isCut', r.is_cut, 'refusal', r.refusal) order by r.created_at), '[]')
    from live_recordings r where r.session_id = s.id and r.segment_count > 0))`;

/** SQL of the running session of an input, else of the last one, in statements that call the inputs `i`. */
export const latestSession = `(select ${sessionJSON} from live_sessions s where s.live_input_id = i.id
  order by s.ended_at is not null, s.began_at desc limit 1)`;

/**
 * SQL of the number of losses of an input within a time: ends of its sessions, and losses by silence or black.
 * @param inputID SQL of its id
 * @param seconds SQL of the time
 */
export const lossesWithin = (inputID: string, seconds: string) => `(
  select (count(l.ended_at) + coalesce(sum((select count(*) from jsonb_array_elements(l.losses) e
    where (e->>'lostAt')::timestamptz > now() - make_interval(secs => ${seconds}))), 0))::integer
  from live_sessions l where l.live_input_id = ${inputID}
    and (l.ended_at is null or l.ended_at > now() - make_interval(secs => ${seconds})))`;

/** SQL: whether a stream has failed for too long to have sessions, in statements that call the streams `st`. */
export const failsTooLong = `(st.state = 'failing' and exists (
  select from stream_transitions f where f.stream_id = st.id and f.id = st.last_transition_id
    and f.at <= now() - make_interval(secs => ${mostFailingSeconds})))`;

/** A report of the ingest about a running session. */
export interface SessionReport {
  readonly id: string;
  readonly stored: StoredSegments;
  /** Time since the first picture arrived; null: none has come. */
  readonly firstPictureAgoSeconds: number | null;
  readonly source: LiveSource | null;
}

/** A session that ended now, and its input. */
export interface EndedSession {
  readonly segment_count: number;
  readonly live_input_id: string;
  readonly user_id: string;
  readonly stream_id: string;
  readonly stable_seconds: number;
}

export function liveSessions(db: Queryable) {
  return {
    /** Lets no other transaction begin a session of a user until this one ends: begins count before they insert. */
    lockBeginsOf: (userID: string) =>
      db.query(`select pg_advisory_xact_lock(hashtextextended('live sessions of ' || $1, 0))`, [userID]),

    /** The number of running sessions of a user. */
    countRunningOf: async (userID: string) =>
      (await one<{ running: number }>(
        db,
        `select count(*)::integer as running from live_inputs i join live_sessions s on s.live_input_id = i.id
         where i.user_id = $1 and s.ended_at is null`,
        [userID],
      ))!.running,

    /**
     * Begins a session. The caller has locked the begins of its user.
     * @returns false if the input has a running one already or was deleted, or its stream has `atMost` running ones
     */
    begin: async (session: NewSession, atMost: number) => {
      const { id, liveInputID, protocol, address, format, encoder } = session;
      const { rowCount } = await db.query(
        `insert into live_sessions (id, live_input_id, protocol, address, format, encoder)
         select $1, i.id, $3, $4, $6, $7 from live_inputs i where i.id = $2 and $5 > (
           select count(*) from live_sessions s join live_inputs o on o.id = s.live_input_id
           where o.stream_id = i.stream_id and s.ended_at is null)
         on conflict do nothing`,
        [id, liveInputID, protocol, address, atMost, format, encoder],
      );
      return rowCount === 1;
    },

    /**
     * Records a report.
     * @returns the reason to end the session; null: its input has this key, its stream is on the air, and nothing has
     * ended it
     */
    report: async (
      { id, stored, firstPictureAgoSeconds, source }: SessionReport,
      keySha256: Buffer,
    ): Promise<SessionEnd | null> => {
      const row = await one<{ wanted: boolean; fails: boolean }>(
        db,
        `with reported as (
           update live_sessions set segment_count = $2, segments_sha256 = $6, source = $4, reported_at = now(),
             first_picture_at = coalesce(first_picture_at, now() - make_interval(secs => $3))
           where id = $1 and ended_at is null returning live_input_id)
         select st.state in ('activating', 'active', 'failing') as wanted, ${failsTooLong} as fails
         from reported r join live_inputs i on i.id = r.live_input_id and i.key_sha256 = $5
           join streams st on st.id = i.stream_id and st.deleted_at is null`,
        [id, stored.count, firstPictureAgoSeconds, source, keySha256, stored.sha256],
      );
      return row?.wanted && !row.fails ? null : 'not_wanted';
    },

    /**
     * Ends a session.
     * @param stored null: the segments that were reported
     * @returns its segments and its input; null: it had ended already
     */
    end: (id: string, reason: SessionEnd, stored: StoredSegments | null) =>
      one<EndedSession>(
        db,
        `update live_sessions s set ended_at = now(), end_reason = $2, segment_count = coalesce($3, segment_count),
           segments_sha256 = coalesce($4, segments_sha256)
         from live_inputs i where s.id = $1 and s.ended_at is null and i.id = s.live_input_id
         returning s.segment_count, s.live_input_id, i.user_id, i.stream_id, i.stable_seconds`,
        [id, reason, stored?.count, stored?.sha256],
      ),

    /** The sessions of an input, the latest first. */
    list: async (liveInputID: string, atMost: number) => {
      const rows = await all<{ session: LiveSession }>(
        db,
        `select ${sessionJSON} as session from live_sessions s where s.live_input_id = $1
         order by s.began_at desc, s.id limit $2`,
        [liveInputID, atMost],
      );
      return rows.map(({ session }) => session);
    },

    /** The facts of sessions for the record, by their ids. Deleted ones are absent. */
    proven: async (ids: readonly string[]) => {
      const rows = await all<{ id: string; name: string; count: number; sha256: Buffer | null }>(
        db,
        `select s.id, i.name, s.segment_count as count, s.segments_sha256 as sha256
         from live_sessions s join live_inputs i on i.id = s.live_input_id where s.id = any ($1)`,
        [ids],
      );
      return new Map(rows.map(({ id, ...facts }) => [id, facts]));
    },

    /** The running session of an input with its first picture and its losses; null: there is none. */
    runningOf: (liveInputID: string) =>
      one<{ id: string; first_picture_at: Date | null; segment_count: number; losses: readonly SignalLoss[] }>(
        db,
        `select id, first_picture_at, segment_count, losses from live_sessions
         where live_input_id = $1 and ended_at is null`,
        [liveInputID],
      ),

    /** Replaces the losses of a session by silence or black. */
    setLosses: (id: string, losses: readonly SignalLoss[]) =>
      db.query('update live_sessions set losses = $2 where id = $1', [id, JSON.stringify(losses)]),

    /** The losses of an input within a time: ends of its sessions, and losses by silence or black. */
    lossesSince: async (liveInputID: string, seconds: number) =>
      (await one<{ losses: number }>(db, `select ${lossesWithin('$1', '$2')} as losses`, [liveInputID, seconds]))!
        .losses,

    /** Running sessions without a report for this time: their ingest is dead. */
    silentFor: (seconds: number, atMost: number) =>
      all<{ id: string; live_input_id: string }>(
        db,
        `select id, live_input_id from live_sessions
         where ended_at is null and reported_at < now() - make_interval(secs => $1) order by reported_at limit $2`,
        [seconds, atMost],
      ),

    /** Deletes sessions beyond the latest ones of each input. */
    forget: (keptPerInput: number, atMost: number) =>
      db.query(
        `delete from live_sessions where id in (
           select id from (
             select id, ended_at, row_number() over (partition by live_input_id order by began_at desc) as place
             from live_sessions) placed
           where place > $1 and ended_at is not null limit $2)`,
        [keptPerInput, atMost],
      ),
  };
}

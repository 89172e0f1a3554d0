// SQL of moves: transitions of streams from state to state, with their history.
import { nextState } from '../../domain/streams/stream-lifecycle.ts';
import type { StreamState, TransitionCause } from '../../domain/streams/stream-lifecycle.ts';
import { newerFigures } from './kept-figures.ts';
import type { KeptFigures } from './kept-figures.ts';
import { all } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import type { Stream } from './streams.ts';
import type { PictureFormat } from '../../domain/playout/rendition.ts';
import type { StateReason } from '../../domain/streams/stream-words.ts';
import type { Locked } from '../shared/locked.ts';

export interface StreamTransition {
  readonly stream_id: string;
  readonly id: number;
  readonly from_state: StreamState;
  readonly to_state: StreamState;
  readonly cause: TransitionCause;
  readonly at: Date;
}

/** A transition in a list; `seq` is its position there. */
export interface ListedTransition extends StreamTransition {
  readonly seq: number;
}

/** A move of a stream. */
export interface StreamMove {
  readonly stream: Locked<Stream>;
  readonly cause: TransitionCause;
  readonly reason: StateReason | null;
  /** Figures that the same statement stores in the row: a second update would double the cost. */
  readonly figures?: KeptFigures;
}

/** A move of a stream that begins a run. */
export interface RunBegin extends StreamMove {
  readonly format: PictureFormat;
  /** The `pending_sound` of the stream. */
  readonly pendingSound: number | null;
  /** The `run_slots` of the stream. */
  readonly slots: number;
}

const isPossible = ({ stream, cause }: StreamMove) => nextState(stream.state, cause) !== null;

/** SQL of the assignments of a move within a run. */
const keptRun = `started_at = case when to_state = 'active' then coalesce(started_at, now()) else started_at end,
  stopped_at = case when from_state = 'stopping' or (to_state = 'failed' and from_state <> 'scheduled')
    then now() else stopped_at end,
  stats = ${newerFigures('m.primary_stats', 's.stats')},
  backup_stats = ${newerFigures('m.backup_stats', 's.backup_stats')}`;

/** SQL of the assignments of a move that begins a run, from item 0 on, without figures of the run before. */
const begunRun = `started_at = null, stopped_at = null, anchored_at = null, stats = null, backup_stats = null,
  pending_sound = (m.run ->> 'pendingSound')::int, pending_joins = null, run_quality = m.run ->> 'quality',
  run_framerate = m.run ->> 'framerate', run_video_codec = m.run ->> 'videoCodec', run_aspect = m.run ->> 'aspect',
  run_slots = (m.run ->> 'slots')::float8`;

export function streamMoves(db: Queryable) {
  /**
   * SQL of any number of moves. It assigns the ids of transitions before the insert: to join inserted transitions with
   * streams, Postgres would compare each with each.
   * @param returning SQL of the columns of each stream to return
   * @param begun SQL of the assignments that begin a run, from the parameter $8; empty: no run begins
   */
  const moving = (returning: string, begun = '') =>
    `with moving as materialized (
       select *, nextval('stream_transitions_id_seq') as transition_id
       from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::jsonb[], $6::jsonb[], $7::jsonb[]
           ${begun && ', $8::jsonb[]'})
         as m (stream_id, from_state, to_state, cause, reason, primary_stats, backup_stats${begun && ', run'})),
     transition as (
       insert into stream_transitions (id, stream_id, from_state, to_state, cause) overriding system value
       select transition_id, stream_id, from_state, to_state, cause from moving)
     update streams s
     set state = to_state, state_reason = m.reason, last_transition_id = transition_id, updated_at = now(),
       status = case when to_state in ('preparing', 'activating', 'active', 'failing')
         then 'ACTIVE' else 'INACTIVE' end,
       ${begun || keptRun}
     from moving m
     where s.id = m.stream_id and s.id = any ($1) returning ${returning}`;

  const valuesOf = (moves: readonly StreamMove[]) => [
    moves.map(({ stream }) => stream.id),
    moves.map(({ stream }) => stream.state),
    moves.map(({ stream, cause }) => nextState(stream.state, cause)),
    moves.map(({ cause }) => cause),
    moves.map(({ reason }) => reason),
    moves.map(({ figures }) => figures?.primary ?? null),
    moves.map(({ figures }) => figures?.backup ?? null),
  ];

  /**
   * Moves streams to the states that the lifecycle has for the causes, each at most once, and writes their histories.
   * @returns the streams in their new states, by id; the lifecycle has no such move for the others
   */
  const moveMany = async (moves: readonly StreamMove[]): Promise<ReadonlyMap<string, Locked<Stream>>> => {
    const possible = moves.filter(isPossible);
    if (possible.length === 0) return new Map();
    const moved = await all<Locked<Stream>>(db, moving('s.*'), valuesOf(possible));
    return new Map(moved.map((stream) => [stream.id, stream]));
  };

  return {
    moveMany,

    /** Moves one stream, as `moveMany` does. @returns null if the lifecycle has no such move */
    move: async (
      stream: Locked<Stream>,
      cause: TransitionCause,
      reason: StateReason | null = null,
    ): Promise<Locked<Stream> | null> => (await moveMany([{ stream, cause, reason }])).get(stream.id) ?? null,

    /**
     * Moves streams that begin a run, each at most once.
     * @returns the streams in their new state, by id; the lifecycle has no such move for the others
     */
    begin: async (begins: readonly RunBegin[]): Promise<ReadonlyMap<string, Locked<Stream>>> => {
      const possible = begins.filter(isPossible);
      if (possible.length === 0) return new Map();
      const runs = possible.map(({ format, pendingSound, slots }) => ({ ...format, pendingSound, slots }));
      const moved = await all<Locked<Stream>>(db, moving('s.*', begunRun), [...valuesOf(possible), runs]);
      return new Map(moved.map((stream) => [stream.id, stream]));
    },

    /** Moves streams, as `moveMany` does. @returns the ids of the streams that were moved */
    moveAll: async (moves: readonly StreamMove[]): Promise<ReadonlySet<string>> => {
      const possible = moves.filter(isPossible);
      if (possible.length === 0) return new Set();
      const statement = { name: 'move_all', text: moving('s.id') };
      const moved = await all<{ id: string }>(db, statement, valuesOf(possible));
      return new Set(moved.map(({ id }) => id));
    },

    /** The last `count` transitions of each of these streams, the newest first. */
    lastTransitions: (ids: readonly string[], count: number) =>
      all<StreamTransition>(
        db,
        `select t.* from unnest($1::text[]) as wanted (stream_id) cross join lateral (
           select stream_id, id, from_state, to_state, cause, at from stream_transitions
           where stream_id = wanted.stream_id order by id desc limit $2) t`,
        [ids, count],
      ),

    /** The transitions of a stream, the newest first. @param before the id to begin below; null: from the newest on */
    transitionsBefore: (streamID: string, before: number | null, count: number) =>
      all<ListedTransition>(
        db,
        `select *, id as seq from stream_transitions where stream_id = $1 and ($2::bigint is null or id < $2)
         order by id desc limit $3`,
        [streamID, before, count],
      ),

    /**
     * Deletes at most `most` transitions: those older than `days`, and the excess over `kept` of streams that have
     * moved within the last 5 minutes. A sweep after their last move has trimmed all other streams.
     */
    forgetTransitions: (kept: number, days: number, most: number) =>
      db.query(
        `with moved as (select distinct stream_id from stream_transitions where at > now() - interval '5 minutes'),
         excess as (
           select beyond.* from moved cross join lateral (
             select stream_id, id from stream_transitions
             where stream_id = moved.stream_id order by id desc offset $1) beyond),
         old as (
           select stream_id, id from stream_transitions
           where at < now() - make_interval(days => $2) order by at limit $3)
         delete from stream_transitions where (stream_id, id) in (table excess union table old limit $3)`,
        [kept, days, most],
      ),
  };
}

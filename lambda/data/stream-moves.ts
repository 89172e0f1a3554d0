// SQL of moves: the transitions of streams from state to state, and their history.
import { nextState } from '../domain/stream-lifecycle.ts';
import type { StreamState, TransitionCause } from '../domain/stream-lifecycle.ts';
import { all } from './queryable.ts';
import type { Queryable } from './queryable.ts';
import type { StateReason, Stream } from './streams.ts';

export interface StreamTransition {
  readonly stream_id: string;
  readonly id: number;
  readonly from_state: StreamState;
  readonly to_state: StreamState;
  readonly cause: TransitionCause;
  readonly at: Date;
}

/** A move of a stream, which the caller has locked. */
export interface StreamMove {
  readonly stream: Stream;
  readonly cause: TransitionCause;
  readonly reason: StateReason | null;
}

export function streamMoves(db: Queryable) {
  /**
   * Moves streams, each to the state that the table of the lifecycle has for its cause, and writes their history. Each
   * stream is named once. It is one statement, however many there are.
   * @returns the streams that were moved, as they are now; those for which the table has no such move are left out
   */
  const moveAll = async (moves: readonly StreamMove[]): Promise<Stream[]> => {
    const possible = moves
      .map((move) => ({ ...move, to: nextState(move.stream.state, move.cause) }))
      .filter(({ to }) => to !== null);
    if (possible.length === 0) return [];
    return all<Stream>(
      db,
      `with moving as (
         select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::jsonb[])
           as m (stream_id, from_state, to_state, cause, reason)),
       transition as (
         insert into stream_transitions (stream_id, from_state, to_state, cause)
         select stream_id, from_state, to_state, cause from moving returning id, stream_id)
       update streams s
       set state = to_state, state_reason = m.reason, last_transition_id = transition.id, updated_at = now(),
         status = case when to_state in ('preparing', 'activating', 'active', 'failing')
           then 'ACTIVE' else 'INACTIVE' end,
         stopped_at = case when from_state = 'stopping' or to_state = 'failed' then now() else stopped_at end
       from moving m join transition using (stream_id)
       where s.id = m.stream_id and s.id = any ($1) returning s.*`,
      [
        possible.map(({ stream }) => stream.id),
        possible.map(({ stream }) => stream.state),
        possible.map(({ to }) => to),
        possible.map(({ cause }) => cause),
        possible.map(({ reason }) => reason),
      ],
    );
  };

  return {
    /** Moves one stream, as `moveAll` does. @returns the stream as it is now; null if the table has no such move */
    move: async (stream: Stream, cause: TransitionCause, reason: StateReason | null = null): Promise<Stream | null> =>
      (await moveAll([{ stream, cause, reason }]))[0] ?? null,

    moveAll,

    /** The last `count` transitions of each of these streams, the newest first. */
    lastTransitions: (ids: readonly string[], count: number) =>
      all<StreamTransition>(
        db,
        `select t.* from unnest($1::text[]) as wanted (stream_id) cross join lateral (
           select stream_id, id, from_state, to_state, cause, at from stream_transitions
           where stream_id = wanted.stream_id order by id desc limit $2) t`,
        [ids, count],
      ),

    /**
     * Deletes old history, at most `most` rows: what is too old, and what streams have beyond `kept` that have moved
     * within the last minutes. Others had no more after the sweep that followed their last move.
     */
    forgetTransitions: (kept: number, days: number, most: number) =>
      db.query(
        `with moved as (select distinct stream_id from stream_transitions where at > now() - interval '5 minutes'),
         excess as (
           select beyond.id from moved cross join lateral (
             select id from stream_transitions where stream_id = moved.stream_id order by id desc offset $1) beyond),
         old as (select id from stream_transitions where at < now() - make_interval(days => $2) order by at limit $3)
         delete from stream_transitions where id in (select id from excess union select id from old limit $3)`,
        [kept, days, most],
      ),
  };
}

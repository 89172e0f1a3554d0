// The lifecycle table, written a second time: every pair of state and cause that moves a stream, and the new state.
import { expect, test } from 'vitest';
import { isLive, nextState, streamStates, transitions } from '../../../lambda/domain/streams/stream-lifecycle.ts';
import type { StreamState, TransitionCause } from '../../../lambda/domain/streams/stream-lifecycle.ts';

/** Decided transitions: these causes lead from each of these states to that one. */
const rows: readonly (readonly [from: readonly StreamState[], causes: readonly TransitionCause[], to: StreamState])[] =
  [
    [['draft', 'invalid', 'stopped', 'failed', 'scheduled'], ['start'], 'activating'],
    [['activating'], ['preparation_needed'], 'preparing'],
    [['preparing'], ['preparation_done'], 'activating'],
    [['preparing'], ['preparation_failed'], 'failed'],
    [['activating', 'failing'], ['media_accepted'], 'active'],
    [['activating'], ['no_evidence'], 'failing'],
    [['active'], ['media_interrupted'], 'failing'],
    [['failing'], ['hopeless'], 'failed'],
    [
      ['preparing', 'activating', 'active', 'failing'],
      ['stop', 'duration_over', 'schedule_end', 'credits_used_up', 'account_at_rest', 'content_blocked'],
      'stopping',
    ],
    [['stopping', 'failed'], ['next_occurrence'], 'scheduled'],
    [['stopping'], ['replicas_ended'], 'stopped'],
    [['draft', 'stopped', 'failed'], ['part_missing'], 'invalid'],
    [['invalid'], ['parts_complete'], 'draft'],
    [['draft', 'stopped', 'failed'], ['schedule'], 'scheduled'],
    [['scheduled'], ['cancel_schedule'], 'draft'],
    [['scheduled'], ['schedule_start'], 'activating'],
    [['scheduled'], ['schedule_start_refused', 'schedule_missed'], 'failed'],
  ];

const causes = Object.keys(transitions) as TransitionCause[];
const pairs = streamStates.flatMap((state) => causes.map((cause) => [state, cause] as const));

test.for(streamStates)('a stream that is %s moves as these rows say, and not otherwise', (state) => {
  const moves = pairs.flatMap(([from, cause]) => {
    const to = nextState(from, cause);
    return from === state && to !== null ? [[cause, to]] : [];
  });
  const listed = rows.flatMap(([from, rowCauses, to]) =>
    from.includes(state) ? rowCauses.map((cause) => [cause, to]) : [],
  );
  expect(moves.toSorted()).toEqual(listed.toSorted());
});

test('every cause is in these rows', () => {
  expect(new Set(rows.flatMap(([, rowCauses]) => rowCauses))).toEqual(new Set(causes));
});

test('a stream is live from start until its last replica has ended', () => {
  expect(streamStates.filter(isLive)).toEqual(['preparing', 'activating', 'active', 'failing', 'stopping']);
});

test('only an end of a run leaves the live states, and only a start enters them', () => {
  const crossing = (into: boolean) =>
    new Set(
      pairs.flatMap(([state, cause]) => {
        const to = nextState(state, cause);
        return to !== null && isLive(state) !== into && isLive(to) === into ? [cause] : [];
      }),
    );
  expect(crossing(true)).toEqual(new Set(['start', 'schedule_start']));
  expect(crossing(false)).toEqual(new Set(['preparation_failed', 'hopeless', 'replicas_ended', 'next_occurrence']));
});

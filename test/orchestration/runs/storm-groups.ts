// The streams of the storm, in groups: how those of a group begin, and what becomes of them.
import type { DueKind } from '../../../lambda/data/streams/due-times.ts';
import type { StreamState, TransitionCause } from '../../../lambda/domain/streams/stream-lifecycle.ts';
import type { StreamBackend } from '../../../lambda/domain/streams/stream-words.ts';

/** The stored facts of a stream once nothing is due any more. */
export interface Outcome {
  readonly state: StreamState;
  /** The code of its reason. */
  readonly reason: string | null;
  readonly causes: readonly TransitionCause[];
  /** In alphabetical order. */
  readonly due: readonly DueKind[];
  /** The numbers of replicas that are wanted, and that are to end. */
  readonly wanted: number;
  readonly ending: number;
  /** The number of entries in its timelines. */
  readonly entries: number;
  /** The numbers of its live intervals that are open, and that the ledger has. */
  readonly open: number;
  readonly paid: number;
}

/** Users with groups of their own. One more user has half of the other streams, and 24 have the rest. */
export const roles = ['resting', 'held', 'limited', 'broke', 'radio'] as const;
export type Role = (typeof roles)[number];

export interface Group {
  readonly count: number;
  readonly user?: Role;
  /** Whether it is started, or live, before the storm; absent: it waits for its start. */
  readonly begun?: 'started' | 'live';
  /** The due times, the first one first; absent: its start. */
  readonly due?: readonly DueKind[];
  /** Absent: `ffmpeg`. */
  readonly backend?: StreamBackend;
  readonly isDoubled?: boolean;
  /** A kind of upload that each user has; absent: `film`, which is prepared. */
  readonly upload?: 'raw' | 'new';
  readonly isDestinationArchived?: boolean;
  readonly endsInHours?: number;
  readonly durationSeconds?: number;
  readonly isDaily?: boolean;
  /** The outcomes that are possible. */
  readonly outcomes: readonly Outcome[];
}

const nothing = { reason: null, due: [], wanted: 0, ending: 0, entries: 0, open: 0, paid: 0 };
const waiting: Outcome = { ...nothing, state: 'scheduled', causes: [], due: ['schedule_start'] };
const started: Outcome = {
  ...nothing,
  state: 'activating',
  causes: ['schedule_start'],
  due: ['activation_timeout'],
  wanted: 1,
  entries: 1,
};
const live: Outcome = { ...started, state: 'active', causes: ['schedule_start', 'media_accepted'], due: [], open: 1 };

/** The outcome of a stream that was started and moves on by these causes. */
const startedThen = (moves: readonly TransitionCause[], more: Partial<Outcome>): Outcome => ({
  ...started,
  due: [],
  causes: [...started.causes, ...moves],
  ...more,
});
/** The outcome of a stream whose agent is to end it. */
const stopping = (cause: TransitionCause, reason: string | null = null): Outcome => {
  const causes = [...live.causes, cause];
  return { ...live, state: 'stopping', reason, causes, wanted: 0, ending: 1, open: 0, paid: 1 };
};
const unstarted = (reason: string, cause: TransitionCause = 'schedule_start_refused'): Outcome => ({
  ...nothing,
  state: 'failed',
  reason,
  causes: [cause],
});

/** Ends and durations that tests make due are later than anything that the storm arms. */
const endsLater = { endsInHours: 3 };
const lasts = { durationSeconds: 3 * 3600 };
const unheld = { wanted: 0, ending: 1 };
const atRest = 'account_at_rest';

/** The number of streams of the user `limited` that may run. */
export const mostRunning = 6;

export const groups: Readonly<Record<string, Group>> = {
  plain: { count: 200, outcomes: [started] },
  prepared: { count: 60, backend: 'manifest', outcomes: [started] },
  doubled: { count: 20, isDoubled: true, outcomes: [{ ...started, wanted: 2 }] },
  endingLater: {
    ...endsLater,
    count: 20,
    outcomes: [{ ...started, due: ['activation_timeout', 'schedule_end'] }],
  },
  unprepared: {
    count: 10,
    backend: 'manifest',
    upload: 'new',
    outcomes: [startedThen(['preparation_needed'], { state: 'preparing', wanted: 0 })],
  },
  radio: {
    count: 2,
    user: 'radio',
    backend: 'manifest',
    outcomes: [{ ...started, due: ['activation_timeout', 'joins'], entries: 2 }],
  },

  archived: { count: 16, isDestinationArchived: true, outcomes: [unstarted('destination_archived')] },
  unready: { count: 16, upload: 'raw', outcomes: [unstarted('upload_not_probed')] },
  missed: { count: 8, endsInHours: -1, outcomes: [unstarted('schedule_missed', 'schedule_missed')] },
  limited: { count: 12, user: 'limited', outcomes: [started, unstarted('limit_reached')] },
  resting: { count: 16, user: 'resting', outcomes: [waiting] },
  held: {
    count: 16,
    user: 'held',
    outcomes: [waiting, startedThen([atRest, 'replicas_ended'], { ...unheld, state: 'stopped', reason: atRest })],
  },

  ended: { ...endsLater, count: 90, begun: 'live', due: ['schedule_end'], outcomes: [stopping('schedule_end')] },
  over: { ...lasts, count: 30, begun: 'live', due: ['duration_over'], outcomes: [stopping('duration_over')] },
  endedAndOver: {
    ...endsLater,
    ...lasts,
    count: 10,
    begun: 'live',
    due: ['duration_over', 'schedule_end'],
    outcomes: [stopping('duration_over')],
  },
  untaken: {
    ...endsLater,
    count: 10,
    begun: 'started',
    due: ['schedule_end'],
    outcomes: [startedThen(['schedule_end', 'replicas_ended'], { ...unheld, state: 'stopped' })],
  },
  daily: {
    ...endsLater,
    count: 6,
    begun: 'started',
    isDaily: true,
    due: ['schedule_end'],
    outcomes: [
      startedThen(['schedule_end', 'next_occurrence'], {
        ...unheld,
        state: 'scheduled',
        due: ['schedule_end', 'schedule_start'],
      }),
    ],
  },
  broke: { count: 4, user: 'broke', begun: 'live', due: [], outcomes: [stopping('credits_used_up', 'no_credits')] },
  stopped: { count: 4, user: 'resting', begun: 'live', due: [], outcomes: [stopping(atRest, atRest)] },

  late: {
    count: 30,
    begun: 'started',
    due: ['activation_timeout'],
    outcomes: [startedThen(['no_evidence'], { state: 'failing', reason: 'no_capacity' })],
  },
  onAir: {
    count: 5,
    user: 'radio',
    backend: 'manifest',
    begun: 'live',
    due: ['item_start', 'joins'],
    outcomes: [{ ...live, due: ['item_start', 'joins'], entries: 2 }],
  },
};

/** The ids of the streams of a group. */
export function idsOf(name: string): string[] {
  return Array.from({ length: groups[name]!.count }, (_, index) => `str_${name}_${index}`);
}

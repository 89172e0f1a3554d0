// Fires what is due: schedules, durations, starts without evidence, and credits that run out.
// A start is without evidence if no agent reports in time that the destination accepts the media.
import type { Pool } from 'pg';
import { databaseOn } from '../../data/database.ts';
import type { Database } from '../../data/database.ts';
import type { kindsOfWork } from '../../data/streams/due-times.ts';
import type { DueKind, DueWork, LockedDue } from '../../data/streams/due-times.ts';
import { costOfReplica } from '../../data/fleet/replica-costs.ts';
import type { Replica } from '../../data/fleet/replicas.ts';
import { newID } from '../../data/shared/new-id.ts';
import type { WorkInPlaces } from '../../data/shared/places.ts';
import type { StreamMove } from '../../data/streams/stream-moves.ts';
import type { Stream } from '../../data/streams/streams.ts';
import type { StateReason } from '../../domain/streams/stream-words.ts';
import { wordsOf } from '../../domain/shared/limits.ts';
import { noCapacityDetail, noPartDetail } from '../../domain/fleet/no-capacity.ts';
import type { PossibleTaker } from '../../domain/fleet/no-capacity.ts';
import { isBlocking } from '../../domain/readiness/readiness-issues.ts';
import { inSets } from '../shared/in-sets.ts';
import { fireCredits } from '../accounts/fire-credits.ts';
import { refreshJoins } from '../playout/prepare-joins.ts';
import { startStreams } from './start-stream.ts';
import type { StartOptions, StartResult } from './start-stream.ts';
import { planRun } from '../playout/plan-run.ts';
import { notifyItemStarts } from '../playout/notify-item-starts.ts';
import { awaitNextStarts } from '../schedule/schedule.ts';
import { stopStreams } from '../streams/stop-stream.ts';
import type { Locked } from '../../data/shared/locked.ts';

type FireOptions = Omit<StartOptions, 'now'>;

/** Work on locked due times. The due times are still set: the work clears or replaces them. */
type Fire = (data: Database, due: readonly LockedDue[], options: StartOptions) => Promise<void>;

interface SetsOfWork {
  /** The most due times that a transaction fires, which keeps their streams locked. */
  readonly setSize: number;
  /** Whether a stream with a programme is a set of its own. */
  readonly isPlannedAlone?: boolean;
  /** Whether a place rests after a set for as long as that took, so that it has no more than half of the process. */
  readonly rests?: boolean;
  readonly fire: Fire;
}

/**
 * The sets of each work. Those of item starts are smaller, as each of them takes statements of its own. A plan of a
 * programme, which may take a second, is alone: streams of other users are not locked meanwhile.
 */
const works: Readonly<Record<DueWork, SetsOfWork>> = {
  starts: { setSize: 100, isPlannedAlone: true, fire: fireStarts },
  ends: { setSize: 100, fire: fireEnds },
  checks: { setSize: 100, fire: fireChecks },
  items: { setSize: 10, fire: fireItems },
  plans: { setSize: 1, rests: true, fire: firePlanned },
};

/**
 * The least time from the begin of a set to the next set of a place. So due times that come one after the other are
 * fired in sets, at a fraction of their cost alone.
 */
const betweenSetsMs = 200;
/** A set that waited for others to unlock rows took longer than its work. */
const mostRestMs = 5000;

/**
 * Fires everything that is due now, as `fireTimes` and `firePlans` do, beside each other.
 * @param signal once it aborts, no further set begins: thousands can be due while a process is asked to end
 * @returns the number of due times and accounts that were handled
 * @throws the first failure, once everything else has been fired
 */
export function fireDue(pool: Pool, options: FireOptions, clock: () => Date, signal?: AbortSignal): Promise<number> {
  return sumOf([fireTimes(pool, options, clock, signal), firePlans(pool, options, clock, signal)]);
}

/**
 * Fires everything that is due now but plans: first accounts, whose streams cost credits, then each kind of work beside
 * the others. Each work has places. A process without a place does nothing; one with a place fires set by set. Due
 * times of a set are fired in one transaction; if one fails, the others are fired without it. Any number of processes
 * may call this at once: each due time is locked with its stream, and fired once. Parameters and result are those of
 * `fireDue`.
 */
export async function fireTimes(
  pool: Pool,
  options: FireOptions,
  clock: () => Date,
  signal?: AbortSignal,
): Promise<number> {
  const holder = newID('fire', clock());
  const accounts = fireAccounts(pool, holder);
  await Promise.allSettled([accounts]);
  const due = (await databaseOn(pool).dueTimes.worksDue()).filter((work) => work !== 'plans');
  const fired = due.map((work) => fireWork(pool, work, holder, { options, clock, signal }));
  return sumOf([accounts, ...fired]);
}

/**
 * Makes the plans that are due now, one after the other with rests, as `fireTimes` fires the rest. Plans may be due all
 * the time, so no other work waits for the end of this.
 */
export async function firePlans(
  pool: Pool,
  options: FireOptions,
  clock: () => Date,
  signal?: AbortSignal,
): Promise<number> {
  if (!(await databaseOn(pool).dueTimes.worksDue()).includes('plans')) return 0;
  return fireWork(pool, 'plans', newID('fire', clock()), { options, clock, signal });
}

/** @throws the first failure, once everything has come to its end */
async function sumOf(counts: readonly Promise<number>[]): Promise<number> {
  let sum = 0;
  for (const each of await Promise.allSettled(counts)) {
    if (each.status === 'rejected') throw each.reason;
    sum += each.value;
  }
  return sum;
}

async function fireWork(
  pool: Pool,
  work: DueWork,
  holder: string,
  { options, clock, signal }: { options: FireOptions; clock: () => Date; signal: AbortSignal | undefined },
): Promise<number> {
  const { setSize, isPlannedAlone = false, rests = false, fire } = works[work];
  let [beganMs, nextSetMs] = [0, 0];
  let [isHolder, isCutSet] = [false, false];
  const donePlaces: number[] = [];
  /** The next set of a place, and of the other places when it has no more. */
  const next = async (data: Database, except: readonly string[], count: number): Promise<readonly LockedDue[]> => {
    const place = signal?.aborted ? null : await data.places.keep(work, holder, donePlaces);
    if (place === null) return [];
    isHolder = true;
    const { due, isCut } = await data.dueTimes.lockNext(work, place.number, { except, most: count, isPlannedAlone });
    isCutSet = isCut;
    if (due.length > 0) return due;
    donePlaces.push(place.number);
    await data.places.leave(work, holder);
    return next(data, except, count);
  };
  try {
    return await inSets(
      pool,
      setSize,
      next,
      async (data, due) => {
        beganMs = performance.now();
        nextSetMs = beganMs + betweenSetsMs;
        await fire(data, due, { ...options, now: clock() });
      },
      // A full set, or one that a programme has cut, has others behind it, which are late.
      async (handled) => {
        if (rests) return rest(pool, work, holder, { tookMs: performance.now() - beganMs, signal });
        const waitMs = Math.max(0, nextSetMs - performance.now());
        if (handled < setSize && !isCutSet && !signal?.aborted)
          await new Promise((resolve) => setTimeout(resolve, waitMs));
      },
    );
  } finally {
    if (isHolder) await databaseOn(pool).places.leave(work, holder);
  }
}

/** Leaves the place to other processes, and waits for as long as a set took. */
async function rest(
  pool: Pool,
  work: DueWork,
  holder: string,
  { tookMs, signal }: { readonly tookMs: number; readonly signal: AbortSignal | undefined },
): Promise<void> {
  await databaseOn(pool).places.leave(work, holder);
  if (signal?.aborted) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const resting = setTimeout(resolve, Math.min(tookMs, mostRestMs));
  const end = () => resolve();
  signal?.addEventListener('abort', end);
  await promise;
  clearTimeout(resting);
  signal?.removeEventListener('abort', end);
}

/** Fires due accounts, if no other process does. */
async function fireAccounts(pool: Pool, holder: string): Promise<number> {
  const work: WorkInPlaces = 'accounts';
  const { now, places, creditAccounts } = databaseOn(pool);
  if (!(await creditAccounts.isAnyDue()) || !(await places.keep(work, holder))) return 0;
  try {
    return await fireCredits(pool, await now());
  } finally {
    await places.leave(work, holder);
  }
}

/** Clears the due times that are fired. Work may set them again. */
function disarm(data: Database, due: readonly LockedDue[]): Promise<void> {
  return data.dueTimes.disarm(due.map(({ id, kind }) => ({ stream_id: id, kind })));
}

const streamsOf = (due: readonly LockedDue[], kind: DueKind) =>
  due.flatMap((each) => (each.kind === kind ? [each.stream] : []));

async function fireStarts(data: Database, due: readonly LockedDue[], options: StartOptions): Promise<void> {
  const users = await data.creditAccounts.lockWithCredits(due.map(({ stream }) => stream.user_id));
  const resting = due.filter(({ stream }) => users.get(stream.user_id)!.is_at_rest);
  if (resting.length > 0)
    await data.dueTimes.rest(
      resting.map(({ id }) => id),
      'schedule_start',
    );
  const awake = due.filter((each) => !resting.includes(each));
  const isMissed = ({ stream: { schedule_end_at: endAt } }: LockedDue) => endAt !== null && endAt <= options.now;
  const missed = awake.filter(isMissed);
  const toStart = awake.filter((each) => !isMissed(each)).map(({ stream }) => stream);
  const results = await startStreams(data, toStart, 'schedule_start', options, users);
  const refused = toStart.flatMap((stream): StreamMove[] => {
    const result = results.get(stream.id)!;
    return 'stream' in result ? [] : [{ stream, cause: 'schedule_start_refused', reason: refusalOf(result) }];
  });
  const unstarted = [...missed.map(missedMove), ...refused];
  if (unstarted.length === 0) return;
  const failed = await data.streamMoves.moveMany(unstarted);
  await data.dueTimes.clear([...failed.keys()]);
  const causes = new Map(unstarted.map(({ stream, cause }) => [stream.id, cause]));
  await awaitNextStarts(
    data,
    [...failed.values()].map((stream) => ({ stream, cause: causes.get(stream.id)! })),
  );
}

function missedMove({ stream, dueAt }: LockedDue): StreamMove {
  const detail = `The start at ${dueAt.toISOString()} was missed, and the end has passed as well.`;
  return { stream, cause: 'schedule_missed', reason: { code: 'schedule_missed', detail } };
}

function refusalOf(result: Exclude<StartResult, { readonly stream: Stream }>): StateReason {
  if ('limit' in result) return { code: 'limit_reached', detail: wordsOf(result.limit) };
  const sentences = result.issues.filter(isBlocking).map((issue) => `${issue.error} ${issue.suggestion}`);
  return { code: result.issues[0]!.code, detail: sentences.join(' ') };
}

async function fireEnds(data: Database, due: readonly LockedDue[]): Promise<void> {
  // A stream whose end and duration are over at once stops once.
  const first = new Map(due.toReversed().map((each) => [each.id, each]));
  const stops = [...first.values()].map(({ stream, kind }) => ({
    stream,
    cause: kind as (typeof kindsOfWork.ends)[number],
  }));
  await disarm(data, due);
  await stopStreams(data, stops);
}

async function fireChecks(data: Database, due: readonly LockedDue[]): Promise<void> {
  await disarm(data, due);
  await data.mirrorIntents.supersede(streamsOf(due, 'broadcast_rotation'), 'broadcast_rotation');
  await failStarts(data, streamsOf(due, 'activation_timeout'));
}

/** Moves streams that no agent has reported live in time to `failing`, with the cause as far as it is known. */
async function failStarts(data: Database, streams: readonly Locked<Stream>[]): Promise<void> {
  if (streams.length === 0) return;
  const replicas = await data.replicas.ofStreams(streams.map(({ id }) => id));
  const detailOf = await waitingDetails(data, replicas);
  await data.streamMoves.moveAll(
    streams.map((stream) => {
      const own = replicas.filter((replica) => replica.stream_id === stream.id);
      const reported = own.find((replica) => replica.reason !== null)?.reason;
      const waiting = own.find(({ agent_id: holder }) => holder === null);
      const detail = waiting
        ? detailOf(waiting)
        : 'A publisher has taken the stream and has not said yet that it is on air; it goes on trying.';
      return { stream, cause: 'no_evidence', reason: reported ?? { code: 'no_capacity', detail } };
    }),
  );
}

/** @returns the words why no agent has taken a replica among these */
async function waitingDetails(data: Database, replicas: readonly Replica[]): Promise<(waiting: Replica) => string> {
  const backends = new Set(replicas.flatMap(({ agent_id: holder, backend }) => (holder === null ? [backend] : [])));
  const facts = new Map<
    Replica['backend'],
    { readonly takers: readonly PossibleTaker[]; readonly isPartLeft: boolean }
  >();
  for (const backend of backends)
    facts.set(backend, {
      takers: await data.agents.takers(backend),
      isPartLeft: await data.replicaClaims.isPartOfUnfundedLeft(backend),
    });
  return (waiting) => {
    const { takers, isPartLeft } = facts.get(waiting.backend)!;
    if (waiting.is_unfunded && !isPartLeft) return noPartDetail;
    return noCapacityDetail(costOfReplica(waiting), waiting.backend, takers);
  };
}

async function fireItems(data: Database, due: readonly LockedDue[]): Promise<void> {
  const now = await data.now();
  await disarm(data, due);
  for (const { stream, kind, dueAt } of due) {
    if (kind === 'joins') await refreshJoins(data, stream, now);
    else await notifyItemStarts(data, stream, dueAt, now);
  }
}

async function firePlanned(data: Database, due: readonly LockedDue[], { settings }: StartOptions): Promise<void> {
  const now = await data.now();
  await disarm(data, due);
  for (const { stream } of due) await planRun(data, stream, { now, limitFactor: settings.limitFactor });
}

// Fires what is due: schedules, durations, starts without evidence, and credits that run out.
// A start is without evidence where no agent has reported in time that the destination takes the media.
import type { Pool } from 'pg';
import { databaseOn, inTransaction } from '../../data/database.ts';
import type { Database } from '../../data/database.ts';
import type { DueTime } from '../../data/streams/due-times.ts';
import { costOfReplica } from '../../data/fleet/replica-costs.ts';
import type { Replica } from '../../data/fleet/replicas.ts';
import type { Stream } from '../../data/streams/streams.ts';
import type { StateReason } from '../../domain/streams/stream-words.ts';
import { wordsOf } from '../../domain/shared/limits.ts';
import { noCapacityDetail } from '../../domain/fleet/no-capacity.ts';
import { isBlocking } from '../../domain/readiness/readiness-issues.ts';
import { BacklogRests } from '../shared/backlog-rests.ts';
import { fireCredits } from '../accounts/fire-credits.ts';
import { refreshJoins } from '../playout/settle-joins.ts';
import { startStream } from './start-stream.ts';
import type { StartOptions, StartResult } from './start-stream.ts';
import { notifyItemStarts } from '../playout/notify-item-starts.ts';
import { stopStream } from '../streams/stop-stream.ts';
import type { Locked } from '../../data/shared/locked.ts';

/**
 * What one round fires at most before the accounts are looked at again, and of each user. A newcomer waits for no more
 * of another user than that.
 */
const round = { all: 100, ofUser: 5 } as const;
/** While somebody's backlog rests, it is looked so often what has come due of others. */
const lookEveryMs = 500;

/**
 * Fires everything that is due now, each due time in a transaction of its own: in rounds, in which accounts whose
 * credits are gone come first, and then a few due times of each user, who rests after that many beside others. Any
 * number of processes may call this at once: a due time is locked with its stream while it is fired, so each is fired
 * once.
 * @param signal once it aborts, nothing more is fired: thousands can be due while a process is asked to end
 * @returns how many due times and accounts were handled
 * @throws the first failure, once everything else has been fired
 */
export async function fireDue(
  pool: Pool,
  startOptions: Omit<StartOptions, 'now'>,
  clock: () => Date,
  signal?: AbortSignal,
): Promise<number> {
  const failed = new Map<string, unknown>();
  const failures: unknown[] = [];
  const data = databaseOn(pool);
  const rests = new BacklogRests();
  let handled = 0;
  while (!signal?.aborted) {
    const now = await data.now();
    handled += await fireCredits(pool, now).catch((error: unknown) => {
      failures.push(error);
      return 0;
    });
    const failedBefore = failed.size;
    let fired = 0;
    const tookMs = new Map<string, number>();
    const except = { streamIDs: [...failed.keys()], userIDs: rests.at(performance.now()) };
    const dueInTurn = await data.dueTimes.dueInTurn(except, round);
    for (const due of dueInTurn) {
      if (signal?.aborted) break;
      if (failed.has(due.stream_id)) continue;
      const options = { ...startOptions, now: clock() };
      const beganMs = performance.now();
      const fireIt = inTransaction(pool, (transaction) => fireLocked(transaction, due, options));
      const isFired = await fireIt.catch((error: unknown) => {
        failed.set(due.stream_id, error);
        return false;
      });
      if (isFired) {
        fired += 1;
        tookMs.set(due.user_id, (tookMs.get(due.user_id) ?? 0) + performance.now() - beganMs);
      }
      const tookOfUserMs = tookMs.get(due.user_id);
      if (due.turn !== round.ofUser || tookOfUserMs === undefined) continue;
      const isBesideOthers =
        dueInTurn.some(({ user_id: userID }) => userID !== due.user_id) ||
        (await data.outbox.hasWorkOfOthers(due.user_id));
      rests.begin(due.user_id, tookOfUserMs, isBesideOthers, performance.now());
    }
    handled += fired;
    if (fired > 0 || failed.size > failedBefore) continue;
    // What was found and neither fired nor failed is being fired by another process, which goes on with what is left.
    // Who has rested since they were left out still has their backlog.
    if (except.userIDs.length === 0) break;
    const restMs = rests.msUntilNextEnd(performance.now()) ?? 0;
    await new Promise((resolve) => setTimeout(resolve, Math.min(restMs, lookEveryMs)));
  }
  const [failure] = [...failed.values(), ...failures];
  if (failure !== undefined) throw failure;
  return handled;
}

/** @returns whether it was still due, and no other process had its stream */
async function fireLocked(data: Database, found: DueTime, startOptions: StartOptions): Promise<boolean> {
  const due = await data.dueTimes.lockDue(found);
  if (!due) return false;
  await data.dueTimes.set(due.stream_id, due.kind, null);
  await fire(data, due, (await data.streams.lockAny(due.stream_id))!, startOptions);
  return true;
}

async function fire(data: Database, due: DueTime, stream: Locked<Stream>, startOptions: StartOptions): Promise<void> {
  switch (due.kind) {
    case 'schedule_start':
      return fireScheduleStart(data, due, stream, startOptions);
    case 'schedule_end':
    case 'duration_over':
      await stopStream(data, stream, due.kind);
      return;
    case 'broadcast_rotation':
      await data.mirrorIntents.supersede([stream], due.kind);
      return;
    case 'joins':
      return refreshJoins(data, stream, await data.now());
    case 'item_start':
      return notifyItemStarts(data, stream, due.due_at, await data.now());
    case 'activation_timeout': {
      const replicas = await data.replicas.ofStream(stream.id);
      const reported = replicas.find((replica) => replica.reason !== null)?.reason;
      await data.streamMoves.move(stream, 'no_evidence', reported ?? (await noCapacity(data, replicas)));
    }
  }
}

async function noCapacity(data: Database, replicas: readonly Replica[]): Promise<StateReason> {
  const waiting = replicas.find(({ agent_id: holder }) => holder === null);
  const detail = waiting
    ? noCapacityDetail(costOfReplica(waiting), waiting.backend, await data.agents.takers(waiting.backend))
    : 'A publisher has taken the stream and has not said yet that it is on air; it goes on trying.';
  return { code: 'no_capacity', detail };
}

async function fireScheduleStart(
  data: Database,
  due: DueTime,
  stream: Locked<Stream>,
  startOptions: StartOptions,
): Promise<void> {
  if (await data.users.lockRest(stream.user_id)) {
    await data.dueTimes.rest(due);
    return;
  }
  if (stream.schedule_end_at !== null && stream.schedule_end_at <= startOptions.now) {
    const detail = `The start at ${due.due_at.toISOString()} was missed, and the end has passed as well.`;
    await data.streamMoves.move(stream, 'schedule_missed', { code: 'schedule_missed', detail });
    await data.dueTimes.clear(stream.id);
    return;
  }
  const result = await startStream(data, stream, 'schedule_start', startOptions);
  if ('stream' in result) return;
  await data.streamMoves.move(stream, 'schedule_start_refused', refusalOf(result));
  await data.dueTimes.clear(stream.id);
}

function refusalOf(result: Exclude<StartResult, { readonly stream: Stream }>): StateReason {
  if ('limit' in result) return { code: 'limit_reached', detail: wordsOf(result.limit) };
  const sentences = result.issues.filter(isBlocking).map((issue) => `${issue.error} ${issue.suggestion}`);
  return { code: result.issues[0]!.code, detail: sentences.join(' ') };
}

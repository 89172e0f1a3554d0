// Fires what is due: schedules, durations, starts without evidence, and credits that run out.
// A start is without evidence if no agent reports in time that the destination accepts the media.
import type { Pool } from 'pg';
import { databaseOn, inTransaction } from '../../data/database.ts';
import type { Database } from '../../data/database.ts';
import type { DueInTurn, DueTime } from '../../data/streams/due-times.ts';
import { costOfReplica } from '../../data/fleet/replica-costs.ts';
import type { Replica } from '../../data/fleet/replicas.ts';
import type { Stream } from '../../data/streams/streams.ts';
import type { StateReason } from '../../domain/streams/stream-words.ts';
import { wordsOf } from '../../domain/shared/limits.ts';
import { noCapacityDetail } from '../../domain/fleet/no-capacity.ts';
import { isBlocking } from '../../domain/readiness/readiness-issues.ts';
import { BacklogRests } from '../shared/backlog-rests.ts';
import { fireCredits } from '../accounts/fire-credits.ts';
import { refreshJoins } from '../playout/prepare-joins.ts';
import { startStream } from './start-stream.ts';
import type { StartOptions, StartResult } from './start-stream.ts';
import { notifyItemStarts } from '../playout/notify-item-starts.ts';
import { stopStream } from '../streams/stop-stream.ts';
import type { Locked } from '../../data/shared/locked.ts';

/** The most due times that one round fires, in all and of each user. Accounts come first in every round. */
const round = { all: 100, ofUser: 5 } as const;
/** The most that a round waits while the backlog of some user rests, before it looks for due times of others. */
const mostWaitMs = 500;

/**
 * Fires everything that is due now, each due time in a transaction of its own. It goes in rounds: accounts without
 * credits come first, then a few due times of each user. A user with more rests after a round, so that others have
 * their turns. Any number of processes may call this at once: each due time is locked with its stream, and fired once.
 * @param signal once it aborts, nothing more is fired: thousands can be due while a process is asked to end
 * @returns the number of due times and accounts that were handled
 * @throws the first failure, once everything else has been fired
 */
export async function fireDue(
  pool: Pool,
  startOptions: Omit<StartOptions, 'now'>,
  clock: () => Date,
  signal?: AbortSignal,
): Promise<number> {
  const rounds = new FireRounds(pool, startOptions, clock, signal);
  while (!signal?.aborted && (await rounds.next()));
  return rounds.report();
}

/** The rounds of one call, with the failures and rests so far. */
class FireRounds {
  readonly #pool: Pool;
  readonly #startOptions: Omit<StartOptions, 'now'>;
  readonly #clock: () => Date;
  readonly #signal: AbortSignal | undefined;
  /** By the id of the stream. A stream that failed is left out of later rounds. */
  readonly #failedStreams = new Map<string, unknown>();
  readonly #failedAccounts: unknown[] = [];
  readonly #rests = new BacklogRests();
  #handled = 0;

  constructor(pool: Pool, startOptions: Omit<StartOptions, 'now'>, clock: () => Date, signal: AbortSignal | undefined) {
    this.#pool = pool;
    this.#startOptions = startOptions;
    this.#clock = clock;
    this.#signal = signal;
  }

  /** Fires one round. @returns false if nothing is left to fire */
  async next(): Promise<boolean> {
    await this.#fireAccounts();
    const failedBefore = this.#failedStreams.size;
    const except = { streamIDs: [...this.#failedStreams.keys()], userIDs: this.#rests.at(performance.now()) };
    const fired = await this.#fireInTurn(await databaseOn(this.#pool).dueTimes.dueInTurn(except, round));
    if (fired > 0 || this.#failedStreams.size > failedBefore) return true;
    // Another process is firing all due times that were found, and continues with the rest. A user who has rested
    // since they were left out still has a backlog.
    if (except.userIDs.length === 0) return false;
    const restMs = this.#rests.msUntilNextEnd(performance.now()) ?? 0;
    await new Promise((resolve) => setTimeout(resolve, Math.min(restMs, mostWaitMs)));
    return true;
  }

  /** @returns the number of due times and accounts that were handled @throws the first failure */
  report(): number {
    const [failure] = [...this.#failedStreams.values(), ...this.#failedAccounts];
    if (failure !== undefined) throw failure;
    return this.#handled;
  }

  async #fireAccounts(): Promise<void> {
    const now = await databaseOn(this.#pool).now();
    try {
      this.#handled += await fireCredits(this.#pool, now);
    } catch (error) {
      this.#failedAccounts.push(error);
    }
  }

  /** @returns the number of due times that were fired */
  async #fireInTurn(dueInTurn: readonly DueInTurn[]): Promise<number> {
    const tookMs = new Map<string, number>();
    let fired = 0;
    for (const due of dueInTurn) {
      if (this.#signal?.aborted) break;
      if (this.#failedStreams.has(due.stream_id)) continue;
      const userID = due.user_id;
      const beganMs = performance.now();
      if (await this.#fireOne(due)) {
        fired += 1;
        tookMs.set(userID, (tookMs.get(userID) ?? 0) + performance.now() - beganMs);
      }
      const tookOfUserMs = tookMs.get(userID);
      if (due.turn === round.ofUser && tookOfUserMs !== undefined) await this.#rest(userID, tookOfUserMs, dueInTurn);
    }
    this.#handled += fired;
    return fired;
  }

  /** @returns false if it was not due any more, another process has its stream, or it failed */
  async #fireOne(due: DueInTurn): Promise<boolean> {
    const options = { ...this.#startOptions, now: this.#clock() };
    try {
      return await inTransaction(this.#pool, (data) => fireLocked(data, due, options));
    } catch (error) {
      this.#failedStreams.set(due.stream_id, error);
      return false;
    }
  }

  async #rest(userID: string, tookMs: number, dueInTurn: readonly DueInTurn[]): Promise<void> {
    const isBesideOthers =
      dueInTurn.some((due) => due.user_id !== userID) || (await databaseOn(this.#pool).outbox.hasWorkOfOthers(userID));
    this.#rests.begin(userID, tookMs, isBesideOthers, performance.now());
  }
}

/** @returns false if it was not due any more, or another process has its stream */
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

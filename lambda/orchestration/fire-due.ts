// Fires what is due: schedules, durations, starts without evidence, and credits that run out.
// A start is without evidence where no agent has reported in time that the destination takes the media.
import type { Pool } from 'pg';
import { databaseOn } from '../data/database.ts';
import type { Database } from '../data/database.ts';
import type { DueTime } from '../data/due-times.ts';
import { costOfReplica } from '../data/replica-costs.ts';
import type { Replica } from '../data/replicas.ts';
import type { StateReason, Stream } from '../data/streams.ts';
import { wordsOf } from '../domain/limits.ts';
import { noCapacityDetail } from '../domain/no-capacity.ts';
import { isBlocking } from '../domain/readiness-issues.ts';
import { eachInTurn } from './each-in-turn.ts';
import { fireCredits } from './fire-credits.ts';
import { startStream } from './start-stream.ts';
import type { StartOptions, StartResult } from './start-stream.ts';
import { stopStream } from './stop-stream.ts';

/**
 * Fires everything that is due now, each due time in a transaction of its own. Any number of processes may call this at
 * once: a due time is locked with its stream while it is fired, so each is fired once.
 * @returns how many due times and accounts were handled
 * @throws the first failure, once everything else has been fired
 */
export async function fireDue(pool: Pool, startOptions: Omit<StartOptions, 'now'>, clock: () => Date): Promise<number> {
  const next = (data: Database, except: readonly string[]) => data.dueTimes.nextDue(except);
  let failure: unknown;
  const streams = await eachInTurn(pool, next, async (data, due) => {
    await data.dueTimes.set(due.stream_id, due.kind, null);
    await fire(data, due, (await data.streams.lockAny(due.stream_id))!, { ...startOptions, now: clock() });
  }).catch((error: unknown) => {
    failure = error;
    return 0;
  });
  const accounts = await fireCredits(pool, await databaseOn(pool).now());
  if (failure !== undefined) throw failure;
  return streams + accounts;
}

async function fire(data: Database, due: DueTime, stream: Stream, startOptions: StartOptions): Promise<void> {
  switch (due.kind) {
    case 'schedule_start':
      return fireScheduleStart(data, due, stream, startOptions);
    case 'schedule_end':
    case 'duration_over':
      await stopStream(data, stream, due.kind);
      return;
    case 'activation_timeout': {
      const replicas = await data.replicas.ofStream(stream.id);
      const reported = replicas.find((replica) => replica.reason !== null)?.reason;
      await data.streams.move(stream, 'no_evidence', reported ?? (await noCapacity(data, replicas)));
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
  stream: Stream,
  startOptions: StartOptions,
): Promise<void> {
  if (await data.users.isAtRest(stream.user_id)) {
    await data.dueTimes.rest(due);
    return;
  }
  if (stream.schedule_end_at !== null && stream.schedule_end_at <= startOptions.now) {
    const detail = `The start at ${due.due_at.toISOString()} was missed, and the end has passed as well.`;
    await data.streams.move(stream, 'schedule_missed', { code: 'schedule_missed', detail });
    await data.dueTimes.clear(stream.id);
    return;
  }
  const result = await startStream(data, stream, 'schedule_start', startOptions);
  if ('stream' in result) return;
  await data.streams.move(stream, 'schedule_start_refused', refusalOf(result));
  await data.dueTimes.clear(stream.id);
}

function refusalOf(result: Exclude<StartResult, { readonly stream: Stream }>): StateReason {
  if ('limit' in result) return { code: 'limit_reached', detail: wordsOf(result.limit) };
  const sentences = result.issues.filter(isBlocking).map((issue) => `${issue.error} ${issue.suggestion}`);
  return { code: result.issues[0]!.code, detail: sentences.join(' ') };
}

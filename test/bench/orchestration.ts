// The load of many agents on one Postgres with the settings of production, all on this machine.
// They renew with few streams and with many. A tenth and a third of them are lost at once while users start streams,
// and schedules are due together. `ORCHESTRATION_STREAMS=100000 ORCHESTRATION_LOST=0.1 ORCHESTRATION_SCHEDULES=0` runs
// parts of it, and `ORCHESTRATION_COSTLIEST=20` prints the statements that cost most.
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { inTransaction } from '../../lambda/data/database.ts';
import { createPoolLike } from '../../lambda/data/shared/queryable.ts';
import { startStream } from '../../lambda/orchestration/runs/start-stream.ts';
import {
  fillStreams,
  fillUsers,
  insertAgents,
  insertReadyStream,
  insertScheduledStreams,
  usersOfAll,
} from '../support/stage-rows.ts';
import { countStatements } from './count-statements.ts';
import { withProductionDatabase } from './database.ts';
import { Fleet, startOptions } from './fleet.ts';
import { processorTime } from './processor-time.ts';
import { quantile } from './quantile.ts';
import { beginCounting, costliest, countedCosts } from './statement-costs.ts';

const agentCount = Number(process.env['ORCHESTRATION_AGENTS'] ?? 500);
const streamCounts = (process.env['ORCHESTRATION_STREAMS'] ?? '1000,10000,100000')
  .split(',')
  .map(Number)
  .filter(Boolean);
const scheduleCount = Number(process.env['ORCHESTRATION_SCHEDULES'] ?? 10_000);
const scheduleAgents = 20;
const steadySeconds = 20;
const renewEveryMs = 1000;
/** Number of connections that RDS Proxy would hold open for this number of agents. */
const connections = 40;
/** Losses, one after the other: a single agent, a tenth of the agents, and one of three zones. */
const lostShares = process.env['ORCHESTRATION_LOST']?.split(',').map(Number) ?? [1 / agentCount, 1 / 10, 1 / 3];
/** Room of the finally remaining agents, as a multiple of all streams. */
const spareShare = 1.15;
const startEveryMs = 500;
/** SQL that agents send all the time, without a loss as well. */
const steadyStatements = ['with renewed as', 'agent_figures'];

export async function orchestrationBench(): Promise<void> {
  const counter = countStatements();
  for (const streams of streamCounts) {
    await withProductionDatabase(connections, async (pool) => {
      const left = lostShares.reduce((agents, share) => agents - Math.round(agents * share), agentCount);
      const room = Math.ceil((streams / left) * spareShare) + 1;
      await fillStreams(pool, streams, agentCount, room);
      const fleet = new Fleet({ pool, agents: agentCount, room });
      const used = await timeUsed(pool);
      fleet.begin();
      await delay(2 * renewEveryMs);
      const [statementsBefore, before] = [counter.count, await used()];
      fleet.renewals.reset();
      await delay(steadySeconds * 1000);
      const steady = perSecond(before, await used(), steadySeconds);
      const statementsPerSecond = ((counter.count - statementsBefore) / steadySeconds).toFixed(0);
      console.log(
        `${agentCount} agents, ${String(streams).padStart(6)} live streams: ${statementsPerSecond} statements/s, ` +
          `Postgres ${(steady.postgres * 100).toFixed(0)} % of a core, ` +
          `agents ${(steady.agents * 100).toFixed(0)} %, ${fleet.renewals.summary()}`,
      );
      for (const share of lostShares) await loss(pool, fleet, share, used, steady);
      await fleet.end();
    });
  }
  if (scheduleCount > 0) await withProductionDatabase(connections, scheduleBench);
}

/** Loses agents. Prints the outage of their streams, and the cost beyond the agents' usual cost. */
async function loss(
  pool: Pool,
  fleet: Fleet,
  share: number,
  used: () => Promise<TimeUsed>,
  steady: TimeUsed,
): Promise<void> {
  // Agents renew their leases one after the other in this order. Agents of one zone renew at any time of a second.
  const count = Math.round(fleet.agentIDs.length * share);
  const lostAgents = Array.from({ length: count }, (_, index) => fleet.agentIDs[Math.floor(index / share)]!);
  const held = 'select stream_id from replicas where agent_id = any ($1)';
  const { rows } = await pool.query<{ stream_id: string }>(held, [lostAgents]);
  const away = new Set(rows.map((row) => row.stream_id));
  const recoveredMs: number[] = [];
  const taken = new Map<string, number>();
  const all = Promise.withResolvers<void>();
  fleet.renewals.reset();
  await beginCounting(pool);
  const before = await used();
  const beganMs = performance.now();
  const unwatch = fleet.onLive((streamID, agentID) => {
    if (!away.delete(streamID)) return;
    recoveredMs.push(performance.now() - beganMs);
    taken.set(agentID, (taken.get(agentID) ?? 0) + 1);
    if (away.size === 0) all.resolve();
  });
  fleet.lose(lostAgents);
  const starting = new AbortController();
  const starts = startByHand(pool, fleet, starting.signal);
  await orTooLate(all.promise);
  const tookSeconds = (performance.now() - beganMs) / 1000;
  const after = await used();
  const costs = await countedCosts(pool, steadyStatements);
  starting.abort();
  const startedMs = await starts;
  unwatch();
  if (process.env['ORCHESTRATION_COSTLIEST'] !== undefined)
    console.table(await costliest(pool, Number(process.env['ORCHESTRATION_COSTLIEST'])));
  const each = (sum: number) => (sum / rows.length).toFixed(2);
  const extra = (of: keyof TimeUsed) => ((after[of] - before[of] - steady[of] * tookSeconds) * 1000) / rows.length;
  console.log(
    `  ${lostAgents.length} lost with ${rows.length} streams: live elsewhere after ` +
      `p50 ${seconds(quantile(recoveredMs, 0.5))}, p99 ${seconds(quantile(recoveredMs, 0.99))}, ` +
      `the last ${seconds(Math.max(...recoveredMs))}; ${rows.length - recoveredMs.length} not\n` +
      `    processor a stream: Postgres ${extra('postgres').toFixed(2)} ms, agents ${extra('agents').toFixed(2)} ms; ` +
      `${fleet.renewals.summary()}\n` +
      `    a stream: ${each(costs.statements)} statements, ${each(costs.planMs + costs.executeMs)} ms of Postgres ` +
      `(${each(costs.planMs)} to plan), ${each(costs.blocks)} blocks, ${each(costs.walRecords)} WAL records\n` +
      `    ${startedMs.length} starts by hand meanwhile: live after p50 ${seconds(quantile(startedMs, 0.5))}, ` +
      `at most ${seconds(Math.max(...startedMs))}; ` +
      `an agent took ${(rows.length / fleet.agentIDs.length).toFixed(1)} on average, at most ` +
      `${Math.max(...taken.values())}`,
  );
}

let startedByHand = 0;

/** Starts a stream every half second, as the API does. @returns the time of each from the call until it was live */
async function startByHand(pool: Pool, fleet: Fleet, signal: AbortSignal): Promise<number[]> {
  const api = createPoolLike(pool, { max: 4 });
  const startOne = async () => {
    const id = `hand_${startedByHand++}`;
    await insertReadyStream(api, id, Math.floor(Math.random() * usersOfAll));
    const beganMs = performance.now();
    const live = Promise.withResolvers<number>();
    const unwatch = fleet.onLive((streamID) => {
      if (streamID === id) live.resolve(performance.now() - beganMs);
    });
    await inTransaction(api, async (data) => {
      const stream = (await data.streams.lockAny(id))!;
      await startStream(data, stream, 'start', { ...startOptions, now: await data.now() });
    });
    return live.promise.finally(unwatch);
  };
  const starts: Promise<number>[] = [];
  while (!signal.aborted) {
    starts.push(startOne());
    await delay(startEveryMs, undefined, { signal }).catch(() => {});
  }
  const startedMs = await Promise.all(starts);
  await api.end();
  return startedMs;
}

interface TimeUsed {
  readonly postgres: number;
  /** Processor time of this process, which is all agents and the measurement. */
  readonly agents: number;
}

/** @returns a function for the processor seconds used so far */
async function timeUsed(pool: Pool): Promise<() => Promise<TimeUsed>> {
  const postgres = await processorTime(pool);
  return async () => {
    const { user, system } = process.cpuUsage();
    return { postgres: await postgres(), agents: (user + system) / 1e6 };
  };
}

function perSecond(before: TimeUsed, after: TimeUsed, overSeconds: number): TimeUsed {
  return {
    postgres: (after.postgres - before.postgres) / overSeconds,
    agents: (after.agents - before.agents) / overSeconds,
  };
}

/** Measures starts that are due within one minute and that the first free agent carries out. */
async function scheduleBench(pool: Pool): Promise<void> {
  await fillUsers(pool);
  const startsAt = `now() + interval '10 seconds' + s * interval '1 minute' / ${scheduleCount}`;
  await insertScheduledStreams(pool, scheduleCount, startsAt);
  await insertAgents(pool, scheduleAgents, scheduleCount);
  await pool.query('vacuum analyze');
  const fleet = new Fleet({ pool, agents: scheduleAgents, room: scheduleCount });
  fleet.begin();
  await orTooLate(fleet.countLive(scheduleCount));
  await fleet.end();
  const { rows } = await pool.query<{ late_ms: number }>(
    `select extract(epoch from t.at - s.schedule_start_at)::float * 1000 as late_ms
     from stream_transitions t join streams s on s.id = t.stream_id
     where cause = 'schedule_start'`,
  );
  const lateMs = rows.map((row) => row.late_ms);
  const started = `select distinct stream_id from stream_transitions where cause = 'schedule_start'`;
  const { rowCount: streams } = await pool.query(started);
  console.log(
    `${scheduleCount} schedules due within a minute, ${scheduleAgents} agents: ` +
      `${streams} streams started, ${lateMs.length} starts, ` +
      `late by p50 ${seconds(quantile(lateMs, 0.5))}, p99 ${seconds(quantile(lateMs, 0.99))}, ` +
      `at most ${seconds(Math.max(...lateMs))}`,
  );
}

/** Waits for ten minutes at most. Prints the missing results then. */
async function orTooLate(work: Promise<void>): Promise<void> {
  const over = new AbortController();
  await Promise.race([work, delay(600_000, undefined, { signal: over.signal }).catch(() => {})]);
  over.abort();
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

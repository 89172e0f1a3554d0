// What many agents ask of one Postgres.
// They renew with few streams and with many, a tenth of them is lost at once, and schedules fall due together.
import { readFile, readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Renewal } from '../../lambda/data/agents.ts';
import { databaseOn, inTransaction } from '../../lambda/data/database.ts';
import { newID } from '../../lambda/data/new-id.ts';
import { createPoolLike } from '../../lambda/data/queryable.ts';
import type { Replica } from '../../lambda/data/replicas.ts';
import { fireDue } from '../../lambda/orchestration/fire-due.ts';
import { recoverReplicas } from '../../lambda/orchestration/recover-replicas.ts';
import { reportReplica } from '../../lambda/orchestration/replica-reports.ts';
import { figuresPerSecond } from '../../lambda/publisher/agent/chores.ts';
import { countStatements } from './count-statements.ts';
import { withDatabase } from './database.ts';
import { roomFor } from '../support/capacities.ts';

const agentCount = Number(process.env['ORCHESTRATION_AGENTS'] ?? 500);
const streamCounts = (process.env['ORCHESTRATION_STREAMS'] ?? '1000,10000,100000').split(',').map(Number);
const scheduleCount = Number(process.env['ORCHESTRATION_SCHEDULES'] ?? 10_000);
const scheduleAgents = 20;
const steadySeconds = 20;
const renewEveryMs = 1000;
const usersOfAll = 1000;
/**
 * So many connections RDS Proxy would hold open for so many agents, and so many more for renewals, which wait for
 * nothing else.
 */
const connections = 40;
const leaseConnections = 10;
const lostShare = 0.1;

const startOptions = {
  settings: { allowPrivateAddresses: true, legacyRtmpURL: null, limitFactor: 1000 },
  newID: (prefix: string) => newID(prefix, new Date()),
  random: Math.random,
};

export async function orchestrationBench(): Promise<void> {
  const counter = countStatements();
  for (const streams of streamCounts) {
    await withDatabase(connections, async (pool) => {
      await fill(pool, streams);
      const fleet = new Fleet(pool, agentCount, Math.ceil(streams / agentCount / (1 - lostShare)) + 1);
      const postgres = await processorTime(pool);
      fleet.begin();
      await delay(2 * renewEveryMs);
      const [statementsBefore, cpuBefore] = [counter.count, await postgres()];
      fleet.renewMs.length = 0;
      await delay(steadySeconds * 1000);
      const cpu = ((await postgres()) - cpuBefore) / steadySeconds;
      const statementsPerSecond = ((counter.count - statementsBefore) / steadySeconds).toFixed(0);
      console.log(
        `${agentCount} agents, ${String(streams).padStart(6)} live streams: ${statementsPerSecond} statements/s, ` +
          `Postgres ${(cpu * 100).toFixed(0)} % of a core, ` +
          `a renewal p50 ${quantile(fleet.renewMs, 0.5)} ms, p99 ${quantile(fleet.renewMs, 0.99)} ms`,
      );
      for (const agents of [1, Math.floor(agentCount * lostShare)]) {
        const { recoveredMs, lost } = await fleet.lose(agents);
        console.log(
          `  ${agents} lost with ${lost} streams: live elsewhere after p50 ${seconds(quantile(recoveredMs, 0.5))}, ` +
            `p99 ${seconds(quantile(recoveredMs, 0.99))}, the last ${seconds(Math.max(...recoveredMs))}; ` +
            `${lost - recoveredMs.length} not`,
        );
      }
      await fleet.end();
    });
  }
  await withDatabase(connections, scheduleBench);
}

/** Agents as `lambda/publisher/agent/agent.ts` runs them, with media that a destination accepts at once. */
class Fleet {
  readonly renewMs: number[] = [];
  readonly #pool: Pool;
  readonly #leasePool: Pool;
  readonly #agents: number;
  readonly #slots: number;
  readonly #loops = new Map<string, { stop: AbortController; loop: Promise<void> }>();
  #onLive: (streamID: string) => void = () => {};

  constructor(pool: Pool, agents: number, slots: number) {
    this.#pool = pool;
    this.#leasePool = createPoolLike(pool, { max: leaseConnections });
    this.#agents = agents;
    this.#slots = slots;
  }

  begin(): void {
    for (let index = 0; index < this.#agents; index++) {
      const stop = new AbortController();
      const startAfterMs = (index / this.#agents) * renewEveryMs;
      this.#loops.set(`agent_${index}`, { stop, loop: this.#run(`agent_${index}`, startAfterMs, stop.signal) });
    }
  }

  async end(): Promise<void> {
    for (const { stop } of this.#loops.values()) stop.abort();
    await Promise.all([...this.#loops.values()].map(({ loop }) => loop));
    await this.#leasePool.end();
  }

  /** Resolves when so many streams have gone live from now on. */
  countLive(count: number): Promise<void> {
    const all = Promise.withResolvers<void>();
    let left = count;
    this.#onLive = () => {
      left--;
      if (left === 0) all.resolve();
    };
    return all.promise;
  }

  /** Loses agents as with their machines: nobody declares them dead at once. @returns how long each stream was away */
  async lose(count: number): Promise<{ recoveredMs: number[]; lost: number }> {
    const lostAgents = [...this.#loops.keys()].slice(0, count);
    const held = 'select stream_id from replicas where agent_id = any ($1)';
    const { rows } = await this.#pool.query<{ stream_id: string }>(held, [lostAgents]);
    const away = new Set(rows.map((row) => row.stream_id));
    const recoveredMs: number[] = [];
    const beganMs = performance.now();
    const all = Promise.withResolvers<void>();
    this.#onLive = (streamID) => {
      if (away.delete(streamID)) recoveredMs.push(performance.now() - beganMs);
      if (away.size === 0) all.resolve();
    };
    for (const agentID of lostAgents) {
      this.#loops.get(agentID)!.stop.abort();
      this.#loops.delete(agentID);
    }
    await orTooLate(all.promise);
    return { recoveredMs, lost: rows.length };
  }

  async #run(agentID: string, startAfterMs: number, signal: AbortSignal): Promise<void> {
    const lease = databaseOn(this.#leasePool).agents;
    let chores: Promise<void> | null = null;
    await delay(startAfterMs, undefined, { signal }).catch(() => {});
    for (let renewals = 0; !signal.aborted; renewals++) {
      const beganMs = performance.now();
      const renewal = await lease.renew(agentID);
      this.renewMs.push(performance.now() - beganMs);
      chores ??= this.#doChores(agentID, renewals, renewal).finally(() => (chores = null));
      await delay(Math.max(0, renewEveryMs - (performance.now() - beganMs)), undefined, { signal }).catch(() => {});
    }
    await chores;
  }

  async #doChores(
    agentID: string,
    renewals: number,
    { holding, now, isAnyWaiting, isAnyDue, isAnyDead }: Renewal,
  ): Promise<void> {
    const data = databaseOn(this.#pool);
    const stats = { ...figures, sampledAt: now.toISOString() };
    if (renewals % Math.ceil(holding.size / figuresPerSecond) === 0) {
      const told = Array.from(holding, ([replicaID, epoch]) => ({ replicaID, epoch, stats }));
      await data.figures.say(agentID, told);
    }
    if (isAnyDue) await fireDue(this.#pool, startOptions, () => new Date());
    const free = this.#slots - holding.size;
    if (isAnyWaiting && free > 0)
      for (const replica of await data.replicas.claim(agentID, ['manifest', 'ffmpeg'], roomFor(free)))
        await this.#goLive(replica);
    if (isAnyDead) await recoverReplicas(this.#pool);
  }

  async #goLive(replica: Replica): Promise<void> {
    await inTransaction(this.#pool, async (tx) => {
      const report = { streamID: replica.stream_id, claim: replica, state: 'live', reason: null } as const;
      await reportReplica(tx, { ...report, now: await tx.now() });
    });
    this.#onLive(replica.stream_id);
  }
}

const figures = {
  startedAt: '2026-01-01T00:00:00.000Z',
  uptimeSeconds: 3600,
  bitrateKbps: 6000,
  framesPerSecond: 30,
  framesSent: 108_000,
  bytesSent: 2_700_000_000,
  droppedFrames: 0,
  reconnects: 0,
  loopCount: 12,
  currentItem: {
    playlistID: 'ply_0mb3kq5zj4h8s2n7t1w9x6c0p',
    itemID: 'itm_0mb3kq5zj4h8s2n7t1w9x6c0p',
    uploadID: 'upl_0mb3kq5zj4h8s2n7t1w9x6c0p',
    positionSeconds: 12.5,
  },
};

/** Makes users with credits, and live streams that the agents hold in equal shares. */
async function fill(pool: Pool, streams: number): Promise<void> {
  await fillUsers(pool);
  await pool.query(
    `insert into streams (id, user_id, state, status, run_quality, run_framerate, stream_backend, started_at)
     select 'str_' || s, 'usr_' || s % $2, 'active', 'ACTIVE', 'q_720p', 'f_30', 'manifest', now()
     from generate_series(1, $1::int) s`,
    [streams, usersOfAll],
  );
  await insertAgents(pool, agentCount);
  await pool.query(
    `insert into replicas (id, stream_id, role, backend, slots, state, agent_id)
     select 'rep_' || s, 'str_' || s, 'primary', 'manifest', 1, 'live', 'agent_' || s % $2
     from generate_series(1, $1::int) s`,
    [streams, agentCount],
  );
  await pool.query('vacuum analyze');
}

async function fillUsers(pool: Pool): Promise<void> {
  await pool.query(
    `insert into users (id, email, name)
     select 'usr_' || u, u || '@example.com', 'x'
     from generate_series(0, $1::int - 1) u`,
    [usersOfAll],
  );
  for (let user = 0; user < usersOfAll; user++) {
    await databaseOn(pool).invoices.ensurePaid({
      id: `inv_${user}`,
      userID: `usr_${user}`,
      type: 'adjustment',
      method: 'grant',
      cost: 0,
      credits: 1_000_000,
    });
  }
}

/** Measures starts that fall due within one minute, and that the first agent to come carries out. */
async function scheduleBench(pool: Pool): Promise<void> {
  await fillUsers(pool);
  await pool.query(
    `insert into uploads (
       id, user_id, name, mime_type, type, object_key, uploaded, probe_state,
       duration_seconds, width, height, framerate, video_codec
     )
     select
       'upl_' || u, 'usr_' || u, 'x', 'video/mp4', 'video', 'key_' || u, true, 'completed',
       10, 1280, 720, 30, 'h264'
     from generate_series(0, $1::int - 1) u`,
    [usersOfAll],
  );
  await pool.query(
    `insert into destinations (id, user_id, name, rtmp_url, sealed_stream_key)
     select 'dst_' || u, 'usr_' || u, 'x', 'rtmp://127.0.0.1/live', ''
     from generate_series(0, $1::int - 1) u`,
    [usersOfAll],
  );
  await pool.query(
    `insert into streams (id, user_id, state, video_upload_id, destination_id, stream_backend, schedule_start_at)
     select
       'str_' || s, 'usr_' || s % $2, 'scheduled', 'upl_' || s % $2, 'dst_' || s % $2, 'ffmpeg',
       now() + interval '10 seconds' + s * interval '1 minute' / $1
     from generate_series(1, $1::int) s`,
    [scheduleCount, usersOfAll],
  );
  await pool.query(
    `insert into due_times (stream_id, kind, due_at) select id, 'schedule_start', schedule_start_at from streams`,
  );
  await insertAgents(pool, scheduleAgents);
  await pool.query('vacuum analyze');
  const fleet = new Fleet(pool, scheduleAgents, scheduleCount);
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

/** Waits for ten minutes at most. What is missing then is printed. */
async function orTooLate(work: Promise<void>): Promise<void> {
  const over = new AbortController();
  await Promise.race([work, delay(600_000, undefined, { signal: over.signal }).catch(() => {})]);
  over.abort();
}

function insertAgents(pool: Pool, count: number) {
  return pool.query(
    `insert into agents (id, supervisor, release, lease_expires_at)
     select 'agent_' || a, 's', 'r', now() + interval '1 minute'
     from generate_series(0, $1::int - 1) a`,
    [count],
  );
}

/** @returns a function that tells how many seconds of a processor the server and its connections have used */
async function processorTime(pool: Pool): Promise<() => Promise<number>> {
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  const statOf = async (pid: number | string) =>
    (await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')).replace(/^.*\) /, '').split(' ');
  const server = (await statOf(rows[0]!.pid))[1]!;
  const ticks = (fields: readonly string[], from: number) => Number(fields[from] ?? 0) + Number(fields[from + 1] ?? 0);
  return async () => {
    const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const stats = await Promise.all(processes.map(async (pid) => ({ pid, fields: await statOf(pid) })));
    const connections = stats.filter(({ fields }) => fields[1] === server);
    const servers = stats.filter(({ pid }) => pid === server);
    // proc(5) has utime and stime at 11, and at 13 cutime and cstime, those of children that have ended, in hundredths
    // of a second.
    const used = [...connections, ...servers].map(({ fields }) => ticks(fields, 11));
    const ended = servers.map(({ fields }) => ticks(fields, 13));
    return [...used, ...ended].reduce((sum, each) => sum + each, 0) / 100;
  };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0) * 10) / 10;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

// Starts and ends of streams that fall due together, with few and with hundreds of agents beside them.
// The bare script writes the same rows in sets of the same size, and checks nothing.
// `DUE_AGENTS=20,500 DUE_COUNT=2000 DUE_SECONDS=60 DUE_KIND=starts DUE_COSTLIEST=20` runs a part of it.
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import {
  fillUsers,
  insertAgents,
  insertLiveIntervals,
  insertLiveStreams,
  insertScheduledStreams,
  usersOfAll,
} from '../support/stage-rows.ts';
import { withProductionDatabase } from './database.ts';
import { writeBareStarts } from './due-bare.ts';
import { Fleet } from './fleet.ts';
import { processorTime } from './processor-time.ts';
import { quantile } from './quantile.ts';
import { readBeside } from './reads-beside.ts';
import { beginCounting, costliest, countedCosts } from './statement-costs.ts';
import type { StatementCosts } from './statement-costs.ts';

const numbers = (name: string, usual: string) => (process.env[name] ?? usual).split(',').map(Number);
/** The number of connections that RDS Proxy would hold open for these agents. */
const connections = 40;
/** Time from the insert of the rows to the first due time. */
const aheadSeconds = 8;
const mostSeconds = 420;
/** The time in which agents only renew their leases, to know what that costs. */
const steadySeconds = 4;
const liveNeighbours = 1000;
/** SQL that only renewals of leases have: they cost the same without anything due. */
const renewal = 'with renewed as';

interface Scenario {
  readonly kind: 'starts' | 'ends';
  readonly agents: number;
  readonly count: number;
  /** The seconds over which the due times are spread; 0: all at one second. */
  readonly overSeconds: number;
  /** Whether one user has all but a thousand of them, and a thousand users one each. */
  readonly isUneven?: boolean;
}

function scenarios(): Scenario[] {
  const kinds = (process.env['DUE_KIND'] ?? 'starts,ends').split(',') as Scenario['kind'][];
  const agents = numbers('DUE_AGENTS', '3,20,200,500');
  if (process.env['DUE_COUNT'] !== undefined)
    return kinds.flatMap((kind) =>
      agents.flatMap((each) =>
        numbers('DUE_COUNT', '').flatMap((count) =>
          numbers('DUE_SECONDS', '60').map((overSeconds) => ({
            kind,
            agents: each,
            count,
            overSeconds,
            isUneven: process.env['DUE_UNEVEN'] !== undefined,
          })),
        ),
      ),
    );
  return kinds.flatMap((kind) => [
    ...agents.map((each) => ({ kind, agents: each, count: 2000, overSeconds: 60 })),
    ...[20, 500].map((each) => ({ kind, agents: each, count: 10_000, overSeconds: 60 })),
    ...[20, 500].map((each) => ({ kind, agents: each, count: 10_000, overSeconds: 0 })),
    { kind, agents: 20, count: 11_000, overSeconds: 0, isUneven: true },
  ]);
}

export async function dueBench(): Promise<void> {
  for (const scenario of scenarios()) {
    let bare: Costs | null = null;
    if (scenario.kind === 'starts')
      await withProductionDatabase(connections, async (pool) => {
        await fill(pool, scenario);
        const used = await processorTime(pool);
        await beginCounting(pool);
        const before = await used();
        await writeBareStarts(pool, scenario.count);
        bare = { ...(await countedCosts(pool)), processorMs: ((await used()) - before) * 1000 };
      });
    await withProductionDatabase(connections, async (pool) => run(pool, scenario, bare));
  }
}

/** Costs of all starts or ends. */
interface Costs extends StatementCosts {
  /** Processor time of Postgres. */
  readonly processorMs: number;
}

async function run(pool: Pool, scenario: Scenario, bare: Costs | null): Promise<void> {
  const { kind, agents, count, overSeconds, isUneven } = scenario;
  await fill(pool, scenario);
  const fleet = new Fleet({ pool, agents, room: count + 1000 });
  const used = await processorTime(pool);
  fleet.begin();
  const reads = await readBeside(pool);
  await delay(2000);
  reads.latenciesMs.length = 0;
  const [steadyFrom, steadyFromMs] = [await used(), performance.now()];
  await delay(steadySeconds * 1000);
  await beginCounting(pool);
  fleet.renewals.reset();
  const alone = reads.latenciesMs.splice(0);
  const [before, beganMs] = [await used(), performance.now()];
  const steadyShare = (before - steadyFrom) / ((beganMs - steadyFromMs) / 1000);
  let done = 0;
  while (done < count && performance.now() - beganMs < (mostSeconds + overSeconds) * 1000) {
    await delay(1000);
    done = await movedOf(pool, kind);
  }
  const processorSeconds = (await used()) - before - (steadyShare * (performance.now() - beganMs)) / 1000;
  const costs = { ...(await countedCosts(pool, [renewal])), processorMs: processorSeconds * 1000 };
  if (process.env['DUE_COSTLIEST'] !== undefined)
    console.table(await costliest(pool, Number(process.env['DUE_COSTLIEST'])));
  const renewals = fleet.renewals.summary();
  await reads.end();
  await fleet.end();
  const when = overSeconds === 0 ? 'at one second' : `within ${overSeconds} s`;
  console.log(
    `${count} ${kind} ${when}${isUneven ? ', all but 1,000 of one user' : ''}, ${agents} agents: ${done} done, ` +
      `late by ${await latenessOf(pool, kind, false)}; ` +
      (isUneven ? `the others by ${await latenessOf(pool, kind, true)}; ` : '') +
      `${renewals}; ` +
      `a read p99 ${Math.round(quantile(alone, 0.99))} ms before and ` +
      `${Math.round(quantile(reads.latenciesMs, 0.99))} ms meanwhile, ` +
      `${reads.failed} of ${alone.length + reads.latenciesMs.length} failed`,
  );
  const each = (sum: number) => (sum / Math.max(1, done)).toFixed(1);
  const ms = (of: StatementCosts) => of.planMs + of.executeMs;
  const times = (of: (costs: Costs) => number) => (of(costs) / of(bare!)).toFixed(1);
  console.log(
    `  each: ${each(costs.statements)} statements, ` +
      `${each(ms(costs))} ms in statements (${each(costs.planMs)} to plan), ` +
      `${each(costs.processorMs)} ms of Postgres' processors, ` +
      `${each(costs.blocks)} blocks, ${each(costs.walRecords)} WAL records` +
      (bare
        ? `; the bare script ${each(ms(bare))} and ${each(bare.processorMs)} ms, ` +
          `so ${times(ms)} and ${times(({ processorMs }) => processorMs)} times as much`
        : ''),
  );
}

/** Users with parts, and streams that are due: waiting for their start, or live until their end. */
async function fill(pool: Pool, { kind, agents, count, overSeconds, isUneven }: Scenario): Promise<void> {
  await fillUsers(pool);
  await insertAgents(pool, agents, count + 1000);
  // Live streams beside, so that Postgres does not plan for empty tables.
  await insertLiveStreams(pool, { count: liveNeighbours, agents, backend: 'ffmpeg', group: 'live_' });
  const secondsAhead = `${aheadSeconds} + s * ${overSeconds}::float8 / ${count}`;
  const at = `date_trunc('second', now()) + make_interval(secs => ${secondsAhead})`;
  const user = isUneven
    ? `case when s % ${count / 1000} = 0 then s / ${count / 1000} % ${usersOfAll} else 0 end`
    : undefined;
  if (kind === 'starts') await insertScheduledStreams(pool, count, at, user);
  else {
    await insertLiveStreams(pool, { count, agents, backend: 'ffmpeg', user, endsAt: at });
    await pool.query(
      `update streams set video_upload_id = 'upl_' || substr(user_id, 5), destination_id = 'dst_' || substr(user_id, 5)
       where schedule_end_at is not null`,
    );
    await insertLiveIntervals(pool);
  }
  await pool.query('vacuum analyze');
}

const causeOf = { starts: 'schedule_start', ends: 'schedule_end' } as const;

async function movedOf(pool: Pool, kind: Scenario['kind']): Promise<number> {
  const { rows } = await pool.query<{ moved: number }>(
    `select count(*)::int as moved from stream_transitions where cause = $1`,
    [causeOf[kind]],
  );
  return rows[0]!.moved;
}

async function latenessOf(pool: Pool, kind: Scenario['kind'], areOthers: boolean): Promise<string> {
  const column = kind === 'starts' ? 'schedule_start_at' : 'schedule_end_at';
  const { rows } = await pool.query<{ seconds: number }>(
    `select extract(epoch from t.at - s.${column})::float8 as seconds
     from stream_transitions t join streams s on s.id = t.stream_id
     where cause = $1 and (not $2 or user_id <> 'usr_0')`,
    [causeOf[kind], areOthers],
  );
  const seconds = rows.map((row) => row.seconds);
  const shown = (share: number) => `${quantile(seconds, share).toFixed(1)} s`;
  return `p50 ${shown(0.5)}, p99 ${shown(0.99)}, the last ${shown(1)}`;
}

// Work that twenty processes do at once costs the database no more for each stream than if one process does it.
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { createPool } from '../../lambda/data/shared/queryable.ts';
import { recoverReplicas } from '../../lambda/orchestration/fleet/recover-replicas.ts';
import { fireDue } from '../../lambda/orchestration/runs/fire-due.ts';
import { startOptions } from '../support/actors.ts';
import { databaseOfOwnServer } from '../support/database.ts';
import {
  fillUsers,
  insertAgents,
  insertLiveIntervals,
  insertLiveStreams,
  insertScheduledStreams,
} from '../support/stage-rows.ts';
import { countStatements, openCounts } from './counted-statements.ts';

/** Four sets and more: now and then, two processes split the last set of streams, which adds the calls of one set. */
const streams = 1000;
const users = 100;
const many = 20;
/** As many as the places of each work: a connection reads catalogs when it does something first. */
const connections = 2;
/** The work is done so often at most, until it costs little enough. The least of each cost counts: noise only adds. */
const rounds = 5;
/** The share of the costs of a stream that many processes may add. */
const tolerance = 0.1;
/**
 * Differences beyond that: page borders, and the second place, which may read each stream once and find it locked
 * (5.4 blocks for a stream, if the places begin each set at the same moment). A third reader would exceed this.
 */
const slack = { calls: 0.02, blocks: 6, walRecords: 0.5 };
/** Statements that look for work, also in vain. */
const looks = /\bplaces\b|^with (?:next|expired) as|^select distinct w\.work|as is_due$/;

interface Work {
  readonly work: string;
  /** Inserts the streams. Two agents exist. */
  readonly prepare: () => Promise<void>;
  /** The work of one process. @returns the number of streams that it has handled */
  readonly process: (index: number) => Promise<number>;
}

const database = databaseOfOwnServer();
let pool: Pool;

beforeAll(async () => {
  await openCounts(database.url());
  pool = createPool({ connectionString: database.url(), max: connections });
  await fillUsers(pool, users);
});
afterAll(() => pool.end());

const user = `s % ${users}`;
const fire = () => fireDue(pool, startOptions, () => new Date());
const live = { count: streams, agents: 1, backend: 'ffmpeg', user } as const;

const works: readonly Work[] = [
  { work: 'starts', prepare: () => insertScheduledStreams(pool, streams, 'now()', user), process: fire },
  {
    work: 'the recovery of a lost agent',
    prepare: async () => {
      await insertLiveStreams(pool, live);
      await insertLiveIntervals(pool);
      await databaseOn(pool).agents.declareDead('agent_0');
    },
    process: () => recoverReplicas(pool),
  },
  {
    work: 'renewals',
    prepare: async () => {
      await insertAgents(pool, many, streams);
      await insertLiveStreams(pool, { ...live, agents: many });
    },
    process: async (index) => (await databaseOn(pool).agentRenewals.renew(`agent_${index}`)).holding.size,
  },
];

it.each(works)('$work', async (work) => {
  let [alone, together] = [await costOf(work, 1), await costOf(work, many)];
  for (let round = 1; round < rounds && grownFrom(alone, together).length > 0; round++) {
    alone = leastOf(alone, await costOf(work, 1));
    together = leastOf(together, await costOf(work, many));
  }
  expect(grownFrom(alone, together)).toEqual([]);
});

/** The costs that are too large with many processes, with their numbers. */
function grownFrom(alone: Cost, together: Cost): string[] {
  const isLarger = (kind: keyof Cost) =>
    together[kind] > (kind === 'looks' ? alone.looks : alone[kind] * (1 + tolerance) + slack[kind]);
  return costKinds.filter(isLarger).map((kind) => `${kind}: ${together[kind]}, alone ${alone[kind]}`);
}

/** Costs of a stream, without looks; and looks of a process. */
const costKinds = ['calls', 'blocks', 'walRecords', 'looks'] as const;
type Cost = Record<(typeof costKinds)[number], number>;

async function costOf({ prepare, process }: Work, processes: number): Promise<Cost> {
  await pool.query('delete from live_intervals; delete from streams; delete from agents; delete from outbox');
  await insertAgents(pool, 2, streams);
  await prepare();
  await pool.query('vacuum analyze');
  let handled = 0;
  const counted = await countStatements(pool, async () => {
    const each = await Promise.all(Array.from({ length: processes }, (_, index) => process(index)));
    handled = each.reduce((sum, one) => sum + one);
  });
  const [looking = [], working = []] = [true, false].map((is) => counted.filter(({ text }) => looks.test(text) === is));
  const sum = (kind: 'calls' | 'blocks' | 'walRecords', of = working) =>
    of.reduce((total, each) => total + each[kind], 0);
  return {
    calls: sum('calls') / handled,
    blocks: sum('blocks') / handled,
    walRecords: sum('walRecords') / handled,
    looks: sum('calls', looking) / processes,
  };
}

function leastOf(one: Cost, other: Cost): Cost {
  return Object.fromEntries(costKinds.map((kind) => [kind, Math.min(one[kind], other[kind])])) as unknown as Cost;
}

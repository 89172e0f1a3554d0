// Queries of agents each second and after a loss, among many streams: no statement reads all of them.
import type { Pool, PoolClient } from 'pg';
import { beforeAll, describe, expect, it } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import type { Database } from '../../lambda/data/database.ts';
import type { PreparedStatement } from '../../lambda/data/shared/queryable.ts';
import type { Replica } from '../../lambda/data/fleet/replicas.ts';
import { recoverReplicas } from '../../lambda/orchestration/fleet/recover-replicas.ts';
import { reportReplicas } from '../../lambda/orchestration/fleet/replica-reports.ts';
import { statsWith } from '../support/actors.ts';
import { roomFor } from '../support/capacities.ts';
import { testDatabase } from '../support/database.ts';
import { fillStreams } from '../support/stage-rows.ts';

const streams = 20_000;
const agents = 200;

/** The tables that have a row for each stream, or for each user. */
const large = new Set(['streams', 'replicas', 'live_intervals', 'invoices']);

const database = testDatabase();

beforeAll(async () => {
  await fillStreams(database.pool(), streams, agents, streams);
});

interface Sent {
  readonly text: string;
  readonly values: unknown[] | undefined;
  readonly isPrepared: boolean;
}

/** Does work on a pool that records each statement. */
async function statementsOf(work: (pool: Pool, data: Database) => Promise<unknown>): Promise<Sent[]> {
  const sent: Sent[] = [];
  const noting = <Target extends Pool | PoolClient>(target: Target): Target =>
    new Proxy(target, {
      get(object, name) {
        if (name === 'query')
          return (statement: string | PreparedStatement, values?: unknown[]) => {
            const isPrepared = typeof statement !== 'string';
            sent.push({ text: isPrepared ? statement.text : statement, values, isPrepared });
            return object.query(statement, values);
          };
        if (name === 'connect') return async () => noting((await object.connect()) as PoolClient);
        const value: unknown = Reflect.get(object, name);
        return typeof value === 'function' ? value.bind(object) : value;
      },
    });
  const pool = noting(database.pool());
  await work(pool, databaseOn(pool));
  return sent;
}

interface Plan {
  readonly 'Node Type': string;
  readonly 'Actual Loops'?: number;
  readonly 'Heap Fetches'?: number;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly Plans?: readonly Plan[];
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** Postgres' plans of a statement: for its values, and the generic plan if the statement is prepared. */
async function plansOf({ text, values, isPrepared }: Sent): Promise<Plan[]> {
  const plans = [await database.pool().query(`explain (format json) ${text}`, values)];
  if (isPrepared) plans.push(await database.pool().query(`explain (format json, generic_plan) ${text}`));
  return plans.map(({ rows }) => rows[0]['QUERY PLAN'][0].Plan);
}

/** The large tables that a statement reads completely. */
async function readWhole(sent: Sent): Promise<string[]> {
  const scans = (await plansOf(sent)).flatMap(nodesOf).filter(({ 'Node Type': type }) => type === 'Seq Scan');
  return scans.flatMap(({ 'Relation Name': relation }) => relation ?? []).filter((relation) => large.has(relation));
}

/** The statements that read a large table completely, with the tables. */
async function readingWhole(statements: readonly Sent[]) {
  const explained = statements.filter(({ text }) => !/^(begin|commit|rollback)\b/.test(text));
  const found = await Promise.all(explained.map(async (each) => ({ ...each, tables: await readWhole(each) })));
  return found.filter(({ tables }) => tables.length > 0);
}

/** Executes a statement. @returns the nodes of its plan with their actual figures */
async function carriedOut({ text, values }: Sent): Promise<Plan[]> {
  const { rows } = await database.pool().query(`explain (analyze, format json) ${text}`, values);
  return nodesOf(rows[0]['QUERY PLAN'][0].Plan);
}

/** Executes a statement. @returns each scan of a table in its plan, with actual figures */
async function scansOf(sent: Sent, relation: string): Promise<Plan[]> {
  const nodes = await carriedOut(sent);
  return nodes.filter((node) => node['Relation Name'] === relation && node['Node Type'].includes('Scan'));
}

const takeover = async (data: Database, agentID: string): Promise<Replica[]> => {
  const { waiting } = await data.replicaClaims.demand(agentID, ['manifest', 'ffmpeg']);
  expect(waiting).toBeGreaterThan(0);
  return data.replicaClaims.claim(agentID, ['manifest', 'ffmpeg'], { ...roomFor(1000), streams: 40 });
};

it('a renewal that finds nothing new visits no row of what the agent holds', async () => {
  const known = await databaseOn(database.pool()).agentRenewals.renew('agent_3');
  expect(known.holding.size).toBe(streams / agents);
  await database.pool().query('vacuum replicas');
  const [sent] = (await statementsOf((_, data) => data.agentRenewals.renew('agent_3', undefined, known))) as [Sent];
  const scans = (await scansOf(sent, 'replicas')).filter((scan) => scan['Actual Rows']! > 0);
  expect(scans.map((scan) => [scan['Node Type'], scan['Actual Rows'], scan['Heap Fetches']])).toEqual([
    ['Index Only Scan', streams / agents, 0],
  ]);
});

it('whoever locks some of many lost streams reads no others', async () => {
  const lost = Array.from({ length: 50 }, (_, index) => `agent_${index + 100}`);
  await database.pool().query(`update agents set lease_expires_at = '-infinity' where id = any ($1)`, [lost]);
  await database.pool().query('analyze agents');
  const ids = await databaseOn(database.pool()).replicaLosses.lostStreams(streams);
  expect(ids).toHaveLength((lost.length * streams) / agents);
  const [sent] = (await statementsOf((_, data) => data.replicaLosses.lockLost(ids.slice(0, 250)))) as [Sent];
  const read = (await scansOf(sent, 'replicas')).map((scan) => scan['Actual Rows']! * scan['Actual Loops']!);
  expect(read).toEqual([250]);
  await database
    .pool()
    .query(`update agents set lease_expires_at = now() + interval '1 hour' where id = any ($1)`, [lost]);
  await database.pool().query('analyze agents');
});

describe('no statement reads a large table as a whole', () => {
  it('that an agent sends each second', async () => {
    const statements = await statementsOf(async (_, data) => {
      const { holding } = await data.agentRenewals.renew('agent_1');
      const figures = Array.from(holding, ([replicaID, epoch]) => ({ replicaID, epoch, stats: statsWith({}) }));
      await data.figures.write('agent_1', figures);
      await data.agents.peerURLs('agent_1');
    });
    expect(await readingWhole(statements)).toEqual([]);
  });

  it('that a loss asks for, from the end of the leases to the last report', async () => {
    await database.pool().query(
      `update agents set renewing_since = now() - interval '1 hour', lease_expires_at = case
         when id in ('agent_0', 'agent_5') then now() - interval '1 second' else now() + interval '1 hour' end`,
    );
    const recovery = await statementsOf((pool) => recoverReplicas(pool));
    expect(await readingWhole(recovery)).toEqual([]);
    const { rows } = await database
      .pool()
      .query<{ agent_id: string; ids: string[] }>(
        `select agent_id, array_agg(id) as ids from replicas where state = 'connecting' group by agent_id`,
      );
    expect(rows.flatMap(({ ids }) => ids)).toHaveLength(200);
    const waiting = `update replicas set agent_id = null, state = 'waiting' where agent_id = 'agent_9'`;
    await database.pool().query(waiting);
    const takeovers = await statementsOf(async (_, data) => {
      const dealt = await data.replicas.heldOf(rows[0]!.agent_id, rows[0]!.ids);
      expect(dealt).toHaveLength(rows[0]!.ids.length);
      const claimed = await takeover(data, 'agent_1');
      expect(claimed).toHaveLength(40);
      const now = new Date();
      const reports = claimed.map(
        (claim) => ({ streamID: claim.stream_id, claim, state: 'live', reason: null, now }) as const,
      );
      const answers = await reportReplicas(data, reports);
      expect([...answers.values()]).toEqual(reports.map(() => true));
      await data.replicaClaims.succeed('agent_1', ['manifest'], roomFor(1000));
    });
    expect(await readingWhole(takeovers)).toEqual([]);
  });

  it('and a claim looks at no more of what waits than it takes', async () => {
    await database.pool().query(`update replicas set agent_id = null where agent_id > 'agent_15'`);
    const [sent] = (await statementsOf((_, data) =>
      data.replicaClaims.claim('agent_1', ['manifest'], { ...roomFor(1000), streams: 20 }),
    )) as [Sent];
    const read = (await scansOf(sent, 'replicas')).map((scan) => scan['Actual Rows']!);
    expect(read).toContain(20);
    expect(Math.max(...read)).toBe(20);
  });

  it('and how many statements a loss takes does not grow with the streams', async () => {
    const count = async (agentID: string, held: number) => {
      await database.pool().query(
        `update replicas set agent_id = null where agent_id = $1 and id not in (
           select id from replicas where agent_id = $1 limit $2)`,
        [agentID, held],
      );
      await database.pool().query(`update agents set lease_expires_at = '-infinity' where id = $1`, [agentID]);
      return (await statementsOf((pool) => recoverReplicas(pool))).length;
    };
    expect(await count('agent_7', 100)).toBe(await count('agent_8', 1));
  });
});

it('which deliveries of a webhook are too old is looked for once, and not for each of them', async () => {
  const webhooks = 3;
  const pool = database.pool();
  const userID = 'usr_hooks';
  await databaseOn(pool).users.ensureUser({ id: userID, email: 'hooks@example.com', name: 'x' });
  await pool.query(
    `insert into webhooks (id, user_id, url, events, sealed_secret)
     select 'whk_' || n, $1, 'https://example.com', '{stream.state_changed}', '' from generate_series(1, $2::int) n`,
    [userID, webhooks],
  );
  const fill = `select record_event($1, 'stream.state_changed', 'x', '{}') from generate_series(1, 100)`;
  await pool.query(fill, [userID]);
  const [sent] = (await statementsOf((_, data) => data.webhookDeliveries.deleteExcess(50))) as [Sent];
  await pool.query(fill, [userID]);
  const limits = (await carriedOut(sent)).filter(({ 'Node Type': type }) => type === 'Limit');
  const loops = limits.at(-1)?.['Actual Loops'];
  expect(loops).toBe(webhooks);
});

// Plans of the statements behind the API's reads and the agents' renewals: one for any values costs as one for these.
// The local run prepares frequent statements, so Postgres may use either plan. AWS plans each for its values.
import { Client, escapeLiteral } from 'pg';
import type { PoolClient } from 'pg';
import { expect, it } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { insertNeighbours } from '../costs/neighbours.ts';
import { actorsOn } from '../support/actors.ts';
import { testService } from '../support/service.ts';

/** Rows beside a stream, of its user and of others: a small stage, and a large one. */
const sizes = [150, 10_000];
/** Costs of a plan: pages of 8 KiB that it reads, and calls of our functions that it does not write out. */
interface Cost {
  readonly pages: number;
  readonly calls: number;
}

/** A plan may take so many times what the other takes, and so much more: about the pages of all streams of the user. */
const tolerance = { pages: { times: 4, more: 450 }, calls: { times: 1, more: 20 } };

const service = testService();
const { call, register, startedStream, user } = actorsOn(service);

it(
  'are good for any values and for these, before and after statistics are gathered',
  { timeout: 240_000 },
  async () => {
    for (const size of sizes)
      for (const areGathered of [false, true]) {
        await insertNeighbours(service.pool(), user().id, size, areGathered);
        const statements = await sentByReads();
        expect(statements.size).toBeGreaterThan(20);
        expect(await unequalPlans(statements), `${size} rows, ${areGathered ? 'with' : 'without'} statistics`).toEqual(
          [],
        );
      }
  },
);

type Values = readonly unknown[];

/** The statements of reads and of a renewal, each with the values of its last call. */
async function sentByReads(): Promise<Map<string, Values>> {
  const id = await startedStream();
  const agent = `agent of ${id}`;
  await register(agent);
  const paths = [
    '/streams?limit=50',
    `/streams/${id}`,
    `/streams/${id}/readiness`,
    `/streams/${id}/timeline`,
    '/uploads?limit=50',
    '/uploads?q=clip&limit=50',
    '/uploads?q=nothing&limit=50',
    '/uploads?sort=name&limit=50',
    '/uploads?type=video&probeState=completed&limit=50',
    '/playlists?limit=50',
    '/destinations?limit=50',
    '/webhooks',
    '/me',
    '/billing/usage',
    '/billing/usage/streams',
  ];
  const sent = new Map<string, Values>();
  const restore = onEachStatement((text, values) => sent.set(text, values));
  try {
    for (const path of paths) expect(await call('GET', path)).toMatchObject({ status: 200 });
    await databaseOn(service.pool()).agentRenewals.renew(agent);
  } finally {
    restore();
  }
  return sent;
}

/** Calls `record` with each statement that has values, until the returned function is called. */
function onEachStatement(record: (text: string, values: Values) => void): () => void {
  // oxlint-disable-next-line typescript/unbound-method -- applied to the client that it is called on
  const original = Client.prototype.query;
  Client.prototype.query = function query(this: Client, ...args: unknown[]) {
    const [first, values] = args;
    const text = typeof first === 'string' ? first : (first as { text?: string }).text;
    if (text !== undefined && Array.isArray(values) && values.length > 0) record(text, values as Values);
    return Reflect.apply(original, this, args) as unknown;
  } as typeof original;
  return () => void (Client.prototype.query = original);
}

/** The statements whose two plans differ much in their costs. */
async function unequalPlans(statements: ReadonlyMap<string, Values>): Promise<string[]> {
  const unequal: string[] = [];
  const client = await service.pool().connect();
  try {
    for (const [text, values] of statements) {
      const ofValues = await costOf(client, text, values, 'custom');
      const ofAny = await costOf(client, text, values, 'generic');
      for (const kind of ['pages', 'calls'] as const) {
        const [less, more] = [ofValues[kind], ofAny[kind]].toSorted((a, b) => a - b) as [number, number];
        if (more > less * tolerance[kind].times + tolerance[kind].more)
          unequal.push(
            `${ofValues[kind]} ${kind} for its values, ${ofAny[kind]} for any: ` +
              text.replaceAll(/\s+/g, ' ').slice(0, 200),
          );
      }
    }
  } finally {
    client.release();
  }
  return unequal;
}

/** The cost of a statement by a plan of this kind. Its changes are undone. */
async function costOf(client: PoolClient, text: string, values: Values, kind: 'custom' | 'generic'): Promise<Cost> {
  // The view has what the connection has not told the server yet, also of earlier transactions.
  const calls = async () => {
    const counted = 'select coalesce(sum(calls), 0)::int as calls from pg_stat_xact_user_functions';
    return (await client.query<{ calls: number }>(counted)).rows[0]!.calls;
  };
  await client.query('begin');
  try {
    await client.query(`set local plan_cache_mode = force_${kind}_plan`);
    await client.query(`set local track_functions = 'all'`);
    await client.query(`prepare planned as ${text}`);
    const before = await calls();
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      `explain (analyze, buffers, format json) execute planned (${values.map(literal).join(', ')})`,
    );
    const { Plan: plan } = rows[0]!['QUERY PLAN'][0];
    const pages = plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!;
    return { pages, calls: (await calls()) - before };
  } finally {
    await client.query('rollback');
    await client.query('deallocate planned');
  }
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  return escapeLiteral(Array.isArray(value) ? `{${value.map(element).join(',')}}` : textOf(value));
}

/** An element of an array, in the form of Postgres. */
function element(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  return `"${textOf(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

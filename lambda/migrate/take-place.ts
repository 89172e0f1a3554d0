// The last step of a recovery: the copied rows replace those of the target, in one transaction.
import type { Pool, PoolClient } from 'pg';
import { declaredDead } from '../data/fleet/agents.ts';
import { all, one } from '../data/shared/queryable.ts';
import { dataKeys } from '../data/shared/data-keys.ts';
import { keyPurposes } from '../domain/shared/sealed-places.ts';
import type { KeyPurpose } from '../domain/shared/sealed-places.ts';
import { ownTable, quoted } from './recovery-source.ts';

/** Unwraps a key of the source, and wraps it for the target. */
export type DataKeyWrappers = (purpose: KeyPurpose, wrappedKey: Buffer) => Promise<Buffer>;

export interface PlaceOptions {
  readonly source: Pool;
  readonly target: Pool;
  readonly rewrap: DataKeyWrappers | null;
  readonly tables: readonly string[];
}

/** The target's agents stay, and take over the streams at once. Those of the source are declared dead. */
const agents = 'agents';

/**
 * Agents and functions of the target wait for the locks, and then find the rows of the source; they lose the work that
 * they had. Live intervals end at the last lease renewal of their agents, so that users do not pay for the outage.
 */
export async function takePlace({ source, target, rewrap, tables }: PlaceOptions): Promise<void> {
  const sequences = await sequencesOf(source);
  const client = await target.connect();
  try {
    await client.query('begin');
    // Triggers would count the rows again, and report each as changed to pages. The rows that they maintain are copied
    // too.
    await client.query(`set local session_replication_role = 'replica'`);
    await client.query(`set local statement_timeout = 0`);
    await client.query(`truncate ${(await emptiedTables(client)).join(', ')}`);
    for (const name of tables.filter((each) => each !== agents)) await insertCopied(client, name, '');
    await insertCopied(client, agents, 'on conflict do nothing');
    await client.query(
      `update public.agents set lease_expires_at = ${declaredDead} where id in (select id from recovery.agents)`,
    );
    for (const { name, last, isCalled } of sequences)
      await client.query('select setval($1::regclass, $2, $3)', [`public.${quoted(name)}`, last, isCalled]);
    if (rewrap) for (const purpose of keyPurposes) await rewrapKeys(client, purpose, rewrap);
    await client.query('update recovery.source set is_done = true');
    for (const name of tables) await client.query(`drop table recovery.${quoted(name)}`);
    await client.query('commit');
    // The planner has no statistics for the new rows yet.
    await client.query('analyze');
    client.release();
  } catch (error) {
    // Closing the connection rolls back.
    client.release(error as Error);
    throw error;
  }
}

/** All tables except agents and migrations, also those that are not copied: their rows refer to replaced ones. */
async function emptiedTables(client: PoolClient): Promise<readonly string[]> {
  const tables = await all<{ name: string }>(
    client,
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  );
  const kept = new Set([agents, ownTable]);
  return tables.filter(({ name }) => !kept.has(name)).map(({ name }) => `public.${quoted(name)}`);
}

async function insertCopied(client: PoolClient, table: string, conflicts: string): Promise<void> {
  const stored = await one<{ columns: string }>(
    client,
    `select string_agg(quote_ident(attname), ', ' order by attnum) as columns from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    [`public.${quoted(table)}`],
  );
  await client.query(
    `insert into public.${quoted(table)} (${stored!.columns}) overriding system value
     select ${stored!.columns} from recovery.${quoted(table)} ${conflicts}`,
  );
}

async function rewrapKeys(client: PoolClient, purpose: KeyPurpose, rewrap: DataKeyWrappers): Promise<void> {
  const keys = dataKeys(client)(purpose);
  for (const { id, wrapped_key: wrapped } of await keys.list()) await keys.rewrap(id, await rewrap(purpose, wrapped));
}

interface Sequence {
  readonly name: string;
  readonly last: string;
  readonly isCalled: boolean;
}

async function sequencesOf(source: Pool): Promise<readonly Sequence[]> {
  const names = await all<{ name: string }>(
    source,
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'S'`,
  );
  return await Promise.all(
    names.map(async ({ name }) => {
      const state = await one<{ last: string; is_called: boolean }>(
        source,
        `select last_value::text as last, is_called from public.${quoted(name)}`,
        [],
      );
      return { name, last: state!.last, isCalled: state!.is_called };
    }),
  );
}

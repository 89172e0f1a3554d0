// The database that a recovery reads: one that was restored from a backup, which nobody writes to any more.
import type { Pool } from 'pg';
import { all, one } from '../data/shared/queryable.ts';

/** A table as it is copied. */
export interface SourceTable {
  readonly name: string;
  /** Blocks of 8 KiB of the table itself. Rows are read block by block, each once while nobody writes. */
  readonly blocks: number;
  readonly bytes: number;
}

/** What is at the source, for whoever decides. */
export interface SourceFacts {
  /** Tells it from the same database at another time, and from every other. */
  readonly identity: string;
  readonly migrations: readonly string[];
  readonly tables: readonly SourceTable[];
  readonly users: number;
  readonly streams: number;
  /** Agents whose leases have not ended: somebody still writes. */
  readonly livingAgents: number;
  /** When anything was last seen to work there; null if nothing ever was. */
  readonly lastSeen: Date | null;
}

/** Of the connections to both databases: the same value has the same text at each, and a text gives back its value. */
export const exactText = [
  'TimeZone=UTC',
  'DateStyle=ISO',
  'IntervalStyle=postgres',
  'extra_float_digits=1',
  'bytea_output=hex',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

/** The list of applied migrations is that of the target, which has the same. */
export const ownTable = 'migrations';

/** Rows of rate limits, which are of no use elsewhere and are lost in every crash. */
const unlogged = `relpersistence = 'u'`;

export async function readSource(source: Pool): Promise<SourceFacts> {
  const tables = await all<{ name: string; blocks: number; bytes: number }>(
    source,
    `select relname as name, pg_relation_size(oid) / current_setting('block_size')::int as blocks,
       pg_table_size(oid) as bytes
     from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> $1 and not ${unlogged}
     order by relname`,
    [ownTable],
  );
  const counts = await one<{ users: number; streams: number; living: number; last_seen: Date | null; system: string }>(
    source,
    `select (select count(*) from users) as users, (select count(*) from streams) as streams,
       (select count(*) from agents where lease_expires_at > now()) as living,
       (select max(renewed_at) from agents) as last_seen,
       (select system_identifier::text from pg_control_system()) as system`,
    [],
  );
  return {
    identity: `${counts!.system} ${counts!.last_seen?.toISOString() ?? 'unused'}`,
    migrations: (await all<{ name: string }>(source, 'select name from migrations order by name')).map(
      ({ name }) => name,
    ),
    tables,
    users: counts!.users,
    streams: counts!.streams,
    livingAgents: counts!.living,
    lastSeen: counts!.last_seen,
  };
}

/** Rows in their own text form, which Postgres reads back to the bit whatever their types. */
export async function rowsInBlocks(
  source: Pool,
  table: string,
  firstBlock: number,
  endBlock: number,
): Promise<readonly string[]> {
  const rows = await all<{ row: string }>(
    source,
    `select t::text as row from public.${quoted(table)} t where ctid >= $1::tid and ctid < $2::tid`,
    [`(${firstBlock},0)`, `(${endBlock},0)`],
  );
  return rows.map(({ row }) => row);
}

/** What differs where rows differ: how many there are, and the sum of their hashes, whatever their order. */
export interface Fingerprint {
  readonly rows: number;
  readonly hash: string;
}

export async function fingerprintOf(pool: Pool, schema: 'public' | 'recovery', table: string): Promise<Fingerprint> {
  const found = await one<{ rows: number; hash: string }>(
    pool,
    `select count(*) as rows, coalesce(sum(hashtextextended(t::text, 0)::numeric), 0)::text as hash
     from ${schema}.${quoted(table)} t`,
    [],
  );
  return found!;
}

/** Names come from Postgres' own list of tables. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

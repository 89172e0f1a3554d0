// The source of a recovery: a database restored from a backup, without active writers.
import type { Pool } from 'pg';
import { all, one } from '../data/shared/queryable.ts';

/** A table to copy. */
export interface SourceTable {
  readonly name: string;
  /** The number of 8 KiB blocks of the table. Rows are read block by block; without writers, each is read once. */
  readonly blocks: number;
  readonly bytes: number;
}

/** The facts of the source that an operator needs to decide. */
export interface SourceFacts {
  /** Differs for every database, and for the same database at another time. */
  readonly identity: string;
  readonly migrations: readonly string[];
  readonly tables: readonly SourceTable[];
  readonly users: number;
  readonly streams: number;
  /** The number of agents whose leases have not expired: the source still has writers. */
  readonly livingAgents: number;
  /** The time of the last activity; null if there was none. */
  readonly lastSeen: Date | null;
}

/** Settings of the connections to both databases, so that values convert to text and back without loss. */
export const exactText = [
  'TimeZone=UTC',
  'DateStyle=ISO',
  'IntervalStyle=postgres',
  'extra_float_digits=1',
  'bytea_output=hex',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

/** The table of applied migrations, which is equal in source and target. */
export const ownTable = 'migrations';

/** Rows of rate limits, which are useless elsewhere and are lost in every crash. */
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

/** Rows in their text form, which Postgres reads back exactly for all types. */
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

/** The number of rows, and the sum of their hashes, independent of their order. Equal rows have equal fingerprints. */
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

/** Quotes a table name. Names come from Postgres' own list of tables. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

// Counts of the statements of a test's database, as Postgres has them: calls, blocks, WAL records.
import { Client } from 'pg';
import type { Pool } from 'pg';
import { all } from '../../lambda/data/shared/queryable.ts';

/** One statement of an operation, with its costs. */
export interface CountedStatement {
  /** The beginning of its text, on one line. */
  readonly text: string;
  readonly calls: number;
  /** Pages of 8 KiB that it read or wrote, in memory or not. */
  readonly blocks: number;
  readonly walRecords: number;
}

/** Characters of a statement that the table shows: enough to find it. */
const shownCharacters = 100;
const ofThisDatabase = '(select oid from pg_database where datname = current_database())';
const isCounting = `query like '%pg_stat_statements%'`;
/** Statements that frame a transaction. The bounds of a change are sent with its begin, and find a purchase. */
const isFrame = `query in ('begin', 'commit') or query ~ '^select begin_(change|work)\\('`;

/** Makes the server count the statements of a database, on all connections from now on. */
export async function openCounts(databaseURL: string): Promise<void> {
  const client = new Client({ connectionString: databaseURL });
  await client.connect();
  try {
    await client.query('create extension pg_stat_statements');
    const { rows } = await client.query<{ name: string }>('select current_database() as name');
    await client.query(`alter database "${rows[0]!.name}" set "pg_stat_statements.track" = 'top'`);
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
  } finally {
    await client.end();
  }
}

/** Does the work, and counts the statements that it sends. */
export async function countStatements(pool: Pool, work: () => Promise<unknown>): Promise<CountedStatement[]> {
  await pool.query(`select pg_stat_statements_reset(0, ${ofThisDatabase}, 0)`);
  await work();
  const rows = await all<CountedStatement>(
    pool,
    `select query as text, calls::int, (shared_blks_hit + shared_blks_read)::int as blocks,
       wal_records::int as "walRecords"
     from pg_stat_statements
     where dbid = ${ofThisDatabase} and not (${isCounting}) and not (${isFrame})
     order by query`,
  );
  return rows.map((row) => ({ ...row, text: shownText(row.text) }));
}

function shownText(query: string): string {
  return query.replaceAll(/\s+/g, ' ').trim().slice(0, shownCharacters);
}

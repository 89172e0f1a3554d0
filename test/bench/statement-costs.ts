// Costs of statements, as Postgres itself counts them (pg_stat_statements).
import type { Pool } from 'pg';

/** Sums over some statements. Blocks are pages of 8 KiB that they read or wrote, in memory or not. */
export interface StatementCosts {
  readonly statements: number;
  readonly planMs: number;
  readonly executeMs: number;
  readonly blocks: number;
  readonly walRecords: number;
}

export async function beginCounting(pool: Pool): Promise<void> {
  await pool.query('create extension if not exists pg_stat_statements');
  await pool.query('select pg_stat_statements_reset()');
}

/** @param except texts that statements to leave out contain */
export async function countedCosts(pool: Pool, except: readonly string[] = []): Promise<StatementCosts> {
  const { rows } = await pool.query<StatementCosts>(
    `select sum(calls)::float8 as statements, sum(total_plan_time) as "planMs", sum(total_exec_time) as "executeMs",
       sum(shared_blks_hit + shared_blks_read)::float8 as blocks, sum(wal_records)::float8 as "walRecords"
     from pg_stat_statements
     where query not like '%pg_stat_statements%' and not exists (
       select from unnest($1::text[]) as part where strpos(query, part) > 0)`,
    [except],
  );
  return rows[0]!;
}

/** The statements that took longest, in all, for a look at where the time goes. */
export async function costliest(pool: Pool, count: number) {
  const { rows } = await pool.query(
    `select round((total_exec_time + total_plan_time)::numeric) as ms,
       round(total_plan_time::numeric) as "planMs", calls,
       round((shared_blks_hit + shared_blks_read) / calls::numeric) as blocks,
       round(wal_records / calls::numeric, 1) as wal, left(regexp_replace(query, '\\s+', ' ', 'g'), 110) as query
     from pg_stat_statements where query not like '%pg_stat_statements%' order by 1 desc limit $1`,
    [count],
  );
  return rows;
}

// What the SQL modules need of a connection: a pool's or a transaction's way to run one statement.
import pg from 'pg';
import type { QueryResultRow } from 'pg';

export interface Queryable {
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names the columns that the statement answers, as the driver does
  query<Row extends QueryResultRow>(
    text: string,
    values?: unknown[],
  ): Promise<{ rows: Row[]; rowCount: number | null }>;
}

/** The first row, or null. */
export async function one<Row extends QueryResultRow>(
  db: Queryable,
  text: string,
  values: unknown[],
): Promise<Row | null> {
  const { rows } = await db.query<Row>(text, values);
  return rows[0] ?? null;
}

/** All rows. */
export async function all<Row extends QueryResultRow>(
  db: Queryable,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  return (await db.query<Row>(text, values)).rows;
}

/**
 * Fails a statement of an agent after so long: over a network that swallows packets the driver would wait for ever, and what waits behind it too.
 * For connections that the pool makes from now on.
 */
export function limitWaits(pool: pg.Pool): void {
  Object.assign(pool.options, { connectionTimeoutMillis: 5000, query_timeout: 10_000 });
}

/** Another pool to where this one leads, with its own limits. */
export function createPoolLike(pool: pg.Pool, limits: pg.PoolConfig): pg.Pool {
  // The driver hides the password from whoever lists the options.
  return createPool({ ...pool.options, password: pool.options.password, ...limits });
}

/**
 * A pool whose bigint and numeric columns are JS numbers: ours are sequence numbers, byte counts and credits, all far below 2^53.
 * Never more connections than `max`: what does not get one waits.
 */
export function createPool(config: pg.PoolConfig): pg.Pool {
  const types = {
    getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
      oid === pg.types.builtins.INT8 || oid === pg.types.builtins.NUMERIC
        ? Number
        : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
  };
  const pool = new pg.Pool({ ...config, types });
  // An idle connection that breaks (a database restart) is replaced by the next query; without a listener it would end the process.
  pool.on('error', () => {});
  return pool;
}

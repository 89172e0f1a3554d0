// The part of a connection that SQL modules use: it runs one statement, on a pool or in a transaction.
import pg from 'pg';
import type { QueryResultRow } from 'pg';

/**
 * A statement that Postgres plans once per connection: for the few that agents send all the time, whose planning takes
 * longer than their execution. It names its columns. With `*`, it would fail after a migration that adds a column, on
 * each connection that has planned it.
 */
export interface PreparedStatement {
  /** Identifies this text: one name never has two texts. */
  readonly name: string;
  readonly text: string;
}

export interface Queryable {
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- names the columns, as the driver does
  query<Row extends QueryResultRow>(
    statement: string | PreparedStatement,
    values?: unknown[],
  ): Promise<{ rows: Row[]; rowCount: number | null }>;
}

/** The first row, or null. */
export async function one<Row extends QueryResultRow>(
  db: Queryable,
  statement: string | PreparedStatement,
  values: unknown[],
): Promise<Row | null> {
  const { rows } = await db.query<Row>(statement, values);
  return rows[0] ?? null;
}

/** All rows. */
export async function all<Row extends QueryResultRow>(
  db: Queryable,
  statement: string | PreparedStatement,
  values: unknown[] = [],
): Promise<Row[]> {
  return (await db.query<Row>(statement, values)).rows;
}

/**
 * Limits how long a statement takes and how long it waits for a connection. Over a network that loses packets, the
 * driver would otherwise wait for ever. The limits apply to connections that the pool opens from now on.
 */
export function limitWaits(pool: pg.Pool): void {
  Object.assign(pool.options, { connectionTimeoutMillis: 5000, query_timeout: 10_000 });
}

/** Makes another pool to the same database, with limits of its own. */
export function createPoolLike(pool: pg.Pool, limits: pg.PoolConfig): pg.Pool {
  // The driver hides the password when the options are enumerated.
  return createPool({ ...pool.options, password: pool.options.password, ...limits });
}

/**
 * Makes a pool that returns bigint and numeric columns as JavaScript numbers: ours are sequence numbers, bytes and
 * credits, all far below 2^53. It opens at most `max` connections; further statements wait for a free one.
 */
export function createPool(config: pg.PoolConfig): pg.Pool {
  const types = {
    getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
      oid === pg.types.builtins.INT8 || oid === pg.types.builtins.NUMERIC
        ? Number
        : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
  };
  const pool = new pg.Pool({ ...config, types });
  // After an idle connection breaks, as in a restart of the database, the next query opens another one. Without a
  // listener, the error would end the process.
  pool.on('error', () => {});
  return pool;
}

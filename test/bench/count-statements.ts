// Counts the statements that this process sends to Postgres from now on, including those for transactions.
import pg from 'pg';

export function countStatements(): { count: number } {
  const counter = { count: 0 };
  const { query } = pg.Client.prototype as unknown as { query: (this: pg.Client, ...args: unknown[]) => unknown };
  Object.assign(pg.Client.prototype, {
    query(this: pg.Client, ...args: unknown[]) {
      counter.count++;
      return query.call(this, ...args);
    },
  });
  return counter;
}

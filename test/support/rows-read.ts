// Counts the rows that a statement reads of a table, as Postgres explains it.
import type pg from 'pg';

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly PlanNode[];
}

/** Executes a statement, and returns the rows of the table that it reads, before joins and limits above them. */
export async function rowsRead(pool: pg.Pool, table: string, text: string, values: unknown[]): Promise<number> {
  const rowsOf = (node: PlanNode): number =>
    (node['Relation Name'] === table ? node['Actual Rows'] * node['Actual Loops'] : 0) +
    (node.Plans ?? []).reduce((sum, each) => sum + rowsOf(each), 0);
  const { rows } = await pool.query(`explain (analyze, format json) ${text}`, values);
  return Math.round(rowsOf(rows[0]['QUERY PLAN'][0].Plan));
}

// A client of the local run's Postgres that prepares frequent statements, so that each is planned once.
import pg from 'pg';

/** Number of executions after which each connection prepares a statement. */
const preparedAfter = 3;
/** The most prepared statements. Postgres keeps each with its plan on each connection, in tens of KiB. */
const mostPrepared = 300;
/** The most statements to count. Some contain their values, such as lists, and are never sent again. */
const mostCounted = 2000;

/**
 * Option of connections: the first plan of a prepared statement serves for any values. By itself, Postgres plans the
 * first five executions on each connection for their values, and connections of many agents hardly send a statement six
 * times. test/data/both-plans.test.ts compares both plans.
 */
export const plansOnce = '-c plan_cache_mode=force_generic_plan';

/** Number of executions by statement in this process, and the names of prepared statements. */
const sent = new Map<string, number>();
const names = new Map<string, string>();

/**
 * For pools without a proxy: behind a proxy, a client that prepares statements gets a connection to itself. Without it,
 * planning is a third of the work of Postgres for the API, agents and jobs of one machine. Its pool has `plansOnce`.
 * The schema must not change meanwhile.
 */
export class PreparingClient extends pg.Client {
  // oxlint-disable-next-line typescript/no-explicit-any -- one body for the driver's eight signatures
  override query(...args: any[]): any {
    const [text, values, callback] = args;
    const name = typeof text === 'string' && Array.isArray(values) && values.length > 0 ? nameOf(text) : undefined;
    // oxlint-disable-next-line typescript/no-explicit-any -- as above
    const query = super.query.bind(this) as (...args: any[]) => unknown;
    return name === undefined ? query(...args) : query({ name, text, values }, callback);
  }
}

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= mostPrepared) return known;
  const times = (sent.get(text) ?? 0) + 1;
  if (times < preparedAfter) {
    if (sent.size >= mostCounted) sent.clear();
    sent.set(text, times);
    return undefined;
  }
  sent.delete(text);
  const name = `often_${names.size + 1}`;
  names.set(text, name);
  return name;
}

// A client of the local run's Postgres that prepares what it is sent often, so that it is planned once.
import pg from 'pg';

/** What was sent so often is prepared on each connection that sends it from then on. */
const preparedAfter = 10;
/** Postgres keeps each with its plan on each connection, in tens of KiB. */
const mostPrepared = 200;
/** Texts that are counted; some are written for their values, as lists are, and never come again. */
const mostCounted = 2000;

/** How often each text was sent by this process, and the names of those that are prepared. */
const sent = new Map<string, number>();
const names = new Map<string, string>();

/**
 * For pools that no proxy stands between: behind one, who prepares has a connection to themselves. Without it, planning
 * is a third of what Postgres does for the API, agents and jobs of one machine. After five times Postgres itself
 * decides whether a plan for any values is as good as one for these. It is for a schema that does not change under it.
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

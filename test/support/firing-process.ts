// A process that fires what is due until it is killed; tests start it. It asks its parent before each statement.
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { newID } from '../../lambda/data/shared/new-id.ts';
import { createPool } from '../../lambda/data/shared/queryable.ts';
import { fireDue } from '../../lambda/orchestration/runs/fire-due.ts';

/** A place in the work of a process, which continues once the parent sends the number back. */
export interface Step {
  readonly number: number;
  /** The work of the transaction. */
  readonly work: string;
  /** SQL of the statement that comes next; after a commit `committed`. */
  readonly next: string;
  /** How often the transaction has sent this statement before. */
  readonly before: number;
}

const idleMs = 200;
const going = new Map<number, () => void>();
let asked = 0;

async function askParent({ work, sent }: Transaction, next: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const step: Step = { number: ++asked, work, next, before: sent.filter((text) => text === next).length };
  sent.push(next);
  going.set(step.number, resolve);
  process.send!(step);
  await promise;
  going.delete(step.number);
}

type Statement = string | { readonly text: string };

interface Transaction {
  readonly work: string;
  /** SQL of its statements so far. */
  readonly sent: string[];
}

/** A work says its name when it takes or leaves a place; that on accounts does not do it in its transactions. */
const transactions = new WeakMap<pg.Client, Transaction>();
const { query } = pg.Client.prototype as unknown as {
  query: (this: pg.Client, statement: Statement, values?: unknown[], ...rest: unknown[]) => Promise<unknown>;
};
Object.assign(pg.Client.prototype, {
  async query(this: pg.Client, statement: Statement, values?: unknown[], ...rest: unknown[]) {
    const text = typeof statement === 'string' ? statement : statement.text;
    let transaction = transactions.get(this) ?? { work: 'accounts', sent: [] };
    if (/\bplaces\b/u.test(text)) transaction = { ...transaction, work: String(values![0]) };
    if (text === 'begin' || transactions.has(this)) transactions.set(this, transaction);
    await askParent(transaction, text);
    const answer = await query.call(this, statement, values, ...rest);
    if (text === 'commit' || text === 'rollback') transactions.delete(this);
    if (text === 'commit') await askParent(transaction, 'committed');
    return answer;
  },
});

process.on('message', (number: number) => going.get(number)!());
process.on('disconnect', () => process.exit());

const pool = createPool({ connectionString: process.env['DATABASE_URL']!, max: 5 });
const settings = { allowPrivateAddresses: true, legacyRtmpURL: null, limitFactor: 100 };
const options = { settings, newID: (prefix: string) => newID(prefix, new Date()), random: Math.random };
/** An hour ahead, so that what these processes arm does not fall due in the test. */
const clock = () => new Date(Date.now() + 3_600_000);
for (;;) if ((await fireDue(pool, options, clock)) === 0) await delay(idleMs);

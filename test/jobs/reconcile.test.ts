// The daily reconciliation of billing records finds each kind of difference, names it, and fails for the alarm.
import { beforeEach, expect, it } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { reconcile } from '../../lambda/jobs/reconcile.ts';
import { putFailuresAside, storeInterval } from '../support/books.ts';
import { testService } from '../support/service.ts';

const service = testService();
let userID: string;

beforeEach(async () => {
  userID = (await service.user(100)).id;
});

const midnight = '2026-01-01T00:00:00Z';
const oneSecondLater = '2026-01-01T00:00:01Z';
const oneHourLater = '2026-01-01T01:00:00Z';
const run = (statement: string, values: unknown[] = []) => service.pool().query(statement, values);

/** Changes the remaining credits of the user's invoice without the ledger. */
const addToInvoice = (credits: number) =>
  run('update invoices set remaining_credits = remaining_credits + $2 where user_id = $1', [userID, credits]);

const storePaidInvoice = (id: string) =>
  run(
    `insert into invoices (id, user_id, type, method, state, cost, currency, credits, remaining_credits)
     values ($2, $1, 'credit_purchase', 'card', 'paid', 5, 'USD', 500, 0)`,
    [userID, id],
  );
const forgetInvoice = (id: string) => run('delete from invoices where id = $1', [id]);

/** Stores a live interval of the user's replica from midnight on, without charging credits for it. */
const storeLive = (to: string | null, creditsPerHour = 36) =>
  storeInterval(service, { userID, streamID: 'str', replicaID: `rep_${userID}`, creditsPerHour, from: midnight, to });
const forgetIntervals = () => run('delete from live_intervals where user_id = $1', [userID]);

/** Spends credits of the user for a live interval. */
const spendFor = (intervalID: number, credits: number) =>
  databaseOn(service.pool()).ledger.take({
    userID,
    cause: 'usage',
    reference: String(intervalID),
    credits,
    account: 'usage',
    at: new Date(),
  });
/** Stores an hour of the user at a price, with an id of its own. */
const storeHour = (intervalID: number, creditsPerHour: number) =>
  run(
    `insert into live_intervals
       (id, user_id, stream_id, replica_id, role, agent_id, epoch, price_version, credits_per_hour,
        started_at, ended_at)
     overriding system value
     values ($2, $1, 'str', 'rep', 'primary', 'agent', 1, '1', $3, $4, $5)`,
    [userID, intervalID, creditsPerHour, midnight, oneHourLater],
  );

/** Stores a refund of the user's invoice that did not take credits back. */
const storeRefund = () =>
  run(
    `insert into payment_reversals
     select 're', id, 'refund', 5, true, false, now(), 5 from invoices where user_id = $1`,
    [userID],
  );
const forgetRefunds = () => run('delete from payment_reversals');

/** Stores a message of Stripe that arrived two hours ago, and the reason why it has not been applied. */
const storeMessage = (failure: string) =>
  run(
    `insert into payment_events (provider, id, body, meaning, received_at, failure)
     values ('stripe', 'evt', '', '[]', now() - interval '2 hours', $1)`,
    [failure],
  );

/** The differences that the reconciliation finds. @param mend removes the difference again, for other tests */
async function proofs(mend: () => Promise<unknown>): Promise<string[]> {
  const logged: Record<string, unknown>[] = [];
  const proof = reconcile(service.pool(), (event, fields) => void logged.push({ event, ...fields }));
  const failure = await proof.catch((error: unknown) => error);
  await mend();
  if (logged.some(({ event }) => event === 'books_differ')) expect(String(failure)).toContain('BooksDiffer');
  else expect(failure).toBeUndefined();
  return logged.flatMap((entry) => (entry['event'] === 'books_differ' ? [String(entry['proof'])] : []));
}

it('the proof says nothing where the books are right', async () => {
  expect(await proofs(async () => {})).toEqual([]);
});

it('the proof finds an invoice that was changed past the ledger', async () => {
  await addToInvoice(-1);
  expect(await proofs(() => addToInvoice(1))).toEqual(['an invoice has left what the ledger says']);
});

it('the proof finds money that was never booked', async () => {
  await storePaidInvoice('lost');
  expect(await proofs(() => forgetInvoice('lost'))).toEqual(['an invoice that was paid came in once']);
});

it('the proof finds live time that was never paid', async () => {
  await storeLive(oneHourLater);
  expect(await proofs(forgetIntervals)).toEqual(['intervals that have ended were spent once']);
});

it('the proof finds credits that were spent for no time', async () => {
  await spendFor(999_999, 5);
  // Entries of the ledger cannot be removed: instead the paid time is added.
  expect(await proofs(() => storeHour(999_999, 5))).toEqual(['intervals that have ended were spent once']);
});

it('the proof finds seconds that are counted twice, and time that goes on for a replica that is not live', async () => {
  await storeLive(oneSecondLater, 0);
  await storeLive(null);
  expect((await proofs(forgetIntervals)).sort()).toEqual([
    'no second of a replica is counted twice',
    'what runs up a cost is live',
  ]);
});

it('the proof finds a refund that took nothing back', async () => {
  await storeRefund();
  expect(await proofs(forgetRefunds)).toEqual(['a refund or dispute took back what it holds']);
});

it('the proof finds a message of a payment provider that could not be applied', async () => {
  await storeMessage('no idea');
  expect(await proofs(() => putFailuresAside(service))).toEqual(['a message of a provider is applied: no idea']);
});

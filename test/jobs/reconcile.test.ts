// The daily proof of the books finds each kind of difference, names it, and fails for the alarm.
import { beforeEach, expect, it } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { reconcile } from '../../lambda/jobs/reconcile.ts';
import { testService } from '../support/service.ts';

const service = testService();
let userID: string;

beforeEach(async () => {
  userID = (await service.user(100)).id;
});

const run = (text: string, values: unknown[] = []) => service.pool().query(text, values);
const interval = (endedAt: string | null, replicaID = `rep_${userID}`) =>
  run(
    `insert into live_intervals (user_id, stream_id, replica_id, role, agent_id, epoch, price_version, credits_per_hour, started_at, ended_at)
     values ($1, 's', $2, 'primary', 'a', 1, '1', 36, '2026-01-01T00:00:00Z', $3)`,
    [userID, replicaID, endedAt],
  );

/** What the proof says of this user, and mends it, so that each test sees its own. */
async function proofs(mend: () => Promise<unknown>): Promise<string[]> {
  const logged: Record<string, unknown>[] = [];
  const failure = await reconcile(service.pool(), (event, fields) => void logged.push({ event, ...fields })).catch(
    (error: unknown) => error,
  );
  await mend();
  if (logged.some(({ event }) => event === 'books_differ')) expect(String(failure)).toContain('BooksDiffer');
  else expect(failure).toBeUndefined();
  return logged.flatMap((entry) => (entry['event'] === 'books_differ' ? [String(entry['proof'])] : []));
}

it('says nothing where the books are right', async () => {
  expect(await proofs(async () => {})).toEqual([]);
});

it('finds an invoice that was changed past the ledger', async () => {
  await run('update invoices set remaining_credits = remaining_credits - 1 where user_id = $1', [userID]);
  expect(
    await proofs(() =>
      run('update invoices set remaining_credits = remaining_credits + 1 where user_id = $1', [userID]),
    ),
  ).toEqual(['an invoice has left what the ledger says']);
});

it('finds money that was never booked', async () => {
  await run(
    `insert into invoices (id, user_id, type, method, state, cost, currency, credits, remaining_credits) values ('lost', $1, 'credit_purchase', 'card', 'paid', 5, 'USD', 500, 0)`,
    [userID],
  );
  expect(await proofs(() => run(`delete from invoices where id = 'lost'`))).toEqual([
    'an invoice that was paid came in once',
  ]);
});

it('finds time that was never paid, and payment for no time', async () => {
  await interval('2026-01-01T01:00:00Z');
  expect(await proofs(() => run('delete from live_intervals where user_id = $1', [userID]))).toEqual([
    'an interval that has ended was spent once',
  ]);
  await databaseOn(service.pool()).ledger.take({
    userID,
    cause: 'usage',
    reference: '999999',
    credits: 5,
    account: 'usage',
    at: new Date(),
  });
  // The ledger cannot be mended by taking something away: the interval comes back.
  const mend = () =>
    run(
      `insert into live_intervals (id, user_id, stream_id, replica_id, role, agent_id, epoch, price_version, credits_per_hour, started_at, ended_at) overriding system value
       values (999999, $1, 's', 'r', 'primary', 'a', 1, '1', 5, '2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z')`,
      [userID],
    );
  expect(await proofs(mend)).toEqual(['an interval that has ended was spent once']);
});

it('finds seconds that are counted twice, and time that runs for nobody', async () => {
  await interval('2026-01-01T00:00:00Z');
  await interval(null);
  await run(
    `update live_intervals set ended_at = '2026-01-01T00:00:01Z', credits_per_hour = 0 where user_id = $1 and ended_at is not null`,
    [userID],
  );
  expect((await proofs(() => run('delete from live_intervals where user_id = $1', [userID]))).sort()).toEqual([
    'no second of a replica is counted twice',
    'what runs up a cost is live',
  ]);
});

it('finds a reversal that took nothing, and a message that nobody could apply', async () => {
  await run(
    `insert into payment_reversals select 're', id, 'refund', 5, true, false, now() from invoices where user_id = $1`,
    [userID],
  );
  expect(await proofs(() => run('delete from payment_reversals'))).toEqual([
    'a refund or dispute took back what it holds',
  ]);
  await run(
    `insert into payment_events (provider, id, body, meaning, received_at, failure) values ('stripe', 'evt', '', '[]', now() - interval '2 hours', 'no idea')`,
  );
  expect(await proofs(() => run('update payment_events set applied_at = now()'))).toEqual([
    'a message of a provider is applied: no idea',
  ]);
});

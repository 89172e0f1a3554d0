// Streams, agents, payments and credits at once for one user: no fault of ours, and correct billing records.
import { expect, it } from 'vitest';
import type { Replica } from '../../../lambda/data/fleet/replicas.ts';
import { applyPayments } from '../../../lambda/orchestration/billing/apply-payments.ts';
import { fireCredits } from '../../../lambda/orchestration/accounts/fire-credits.ts';
import { recoverReplicas } from '../../../lambda/orchestration/fleet/recover-replicas.ts';
import { paymentsOn } from '../../api/payments.ts';
import { actorsOn } from '../../support/actors.ts';
import { seeded } from '../../support/seeded.ts';
import { testService } from '../../support/service.ts';

const service = testService();
const { call, claimUnlessForgotten, data, loseLease, readyStream, register, report, user } = actorsOn(service);
const { deliverPayment, dispute, refund, topUp } = paymentsOn(service);

const workers = 8;
const stepsOfEach = 30;
const reason = { code: 'connection_lost', detail: 'x' };

it.for([1, 2])('eight workers leave books that are right: seed %d', { timeout: 120_000 }, async (seed) => {
  const random = seeded(seed);
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)]!;
  const streams = [
    await readyStream(),
    await readyStream({ agentModeEnabled: true, runBackupStream: true }),
    await readyStream(),
  ];
  const agents = ['a', 'b'].map((name) => `${name}${seed}`);
  for (const agent of agents) await register(agent);
  const held: Replica[] = [];
  const paid: string[] = [];
  /** Calls the API, which may refuse the call, but may not fail. */
  const tryCall = async (method: string, path: string) => {
    const { status, body } = await call(method, path);
    expect([status < 500, body]).toEqual([true, body]);
  };
  const steps = {
    start: () => tryCall('POST', `/streams/${pick(streams)}/start`),
    stop: () => tryCall('POST', `/streams/${pick(streams)}/stop`),
    claim: async () => {
      held.push(...(await claimUnlessForgotten(pick(agents))));
    },
    report: async () => {
      if (held.length > 0)
        await report(pick(held), pick(['live', 'live', 'failing']), { reason, hopeless: random() < 0.05 });
    },
    end: async () => {
      const { ending } = await data().agentRenewals.renew(pick(agents));
      for (const replica of held.filter(({ id }) => ending.includes(id))) await report(replica, 'ended');
    },
    lose: async () => {
      // Another agent replaces the one that dies, as a supervisor would do.
      const next = `agent ${random()}`;
      await register(next);
      const [dead] = agents.splice(Math.floor(random() * agents.length), 1, next);
      await loseLease(dead!);
      await recoverReplicas(service.pool());
    },
    pay: async () => {
      const { invoiceID, messages } = await topUp(user(), 100 + Math.floor(random() * 900));
      const [receipt, completed] = messages('pay');
      await Promise.all([deliverPayment(completed), deliverPayment(receipt), deliverPayment(completed)]);
      paid.push(invoiceID);
    },
    refund: async () => {
      if (paid.length > 0) await deliverPayment(refund(`re_${seed}_${random()}`, pick(paid), 50));
    },
    dispute: async () => {
      if (paid.length === 0) return;
      const [id, invoiceID] = [`dp_${seed}_${random()}`, pick(paid)];
      await Promise.all(
        ['needs_response', pick(['won', 'lost', 'under_review'])].map((status) =>
          deliverPayment(dispute(id, invoiceID, 100, status)),
        ),
      );
    },
    credits: async () => {
      // Two processes look at once for users whose credits end: now, in an hour, or when all credits are used up.
      const now = new Date(Date.now() + pick([0, 3_600_000, 40 * 3_600_000]));
      await Promise.all([fireCredits(service.pool(), now), fireCredits(service.pool(), now)]);
    },
    overview: async () => expect((await call('GET', '/billing/overview')).status).toBe(200),
  };
  const names = Object.keys(steps) as (keyof typeof steps)[];
  await Promise.all(
    Array.from({ length: workers }, async () => {
      for (let step = 0; step < stepsOfEach; step++) await steps[pick(names)]();
    }),
  );
  await applyPayments(service.pool());
  for (const streamID of streams) await tryCall('POST', `/streams/${streamID}/stop`);
  expect(await data().reconciliation.differences()).toEqual([]);
  const { balance, creditsLeft } = (await call('GET', '/billing/overview')).body.billing;
  const invoices = (await call('GET', '/billing/invoices?limit=100')).body.data.filter(
    ({ state }: { state: string }) => state === 'paid',
  );
  expect(creditsLeft).toBe(balance);
  expect(
    invoices.reduce((sum: number, { remainingCredits }: { remainingCredits: number }) => sum + remainingCredits, 0),
  ).toBeCloseTo(creditsLeft, 3);
  expect(service.logged.filter((line) => /failed|not_applied/.test(line))).toEqual([]);
});

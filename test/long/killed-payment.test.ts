// Kill -9 between payment and credit, at each statement: after a restart the credits are there, once.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { applyPayments } from '../../lambda/orchestration/apply-payments.ts';
import { callbackPaths } from '../../lambda/ports/payment-providers.ts';
import type { SignedMessage } from '../../lambda/ports/payment/local-payment.ts';
import { paymentsOn } from '../api/payments.ts';
import { baseURL, testService } from '../support/service.ts';
import type { KilledPayment } from '../support/killed-payment.ts';
import { until } from '../support/local-run.ts';

const service = testService();
const { billing, deliverPayment, invoice, refund, topUp } = paymentsOn(service);
const program = join(import.meta.dirname, '../support/killed-payment.ts');

/** @returns whether it lived to its end */
async function takeAndDie({ body, headers }: SignedMessage, statements: number): Promise<boolean> {
  const settings: KilledPayment = {
    databaseURL: service.pool().options.connectionString!,
    webhookSecret: 'whsec_test',
    url: new URL(baseURL).origin + callbackPaths.payment,
    body,
    headers: { ...headers },
    statements,
  };
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env['PATH'], KILLED_PAYMENT: JSON.stringify(settings) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  expect(code === 0 || signal === 'SIGKILL').toBe(true);
  // Until Postgres has noticed, what the dead one had locked is skipped: it would be the next sweep's.
  await until(
    async () =>
      (await service.pool().query(`select from pg_stat_activity where application_name = 'killed payment'`))
        .rowCount === 0,
  );
  return code === 0;
}

const kept = async (userID: string) =>
  (
    await service
      .pool()
      .query(
        `select 1 from payment_events where meaning::text like '%' || (select id from invoices where user_id = $1) || '%'`,
        [userID],
      )
  ).rows.length > 0;

it('a payment is credited once, by the sweep where its message was kept, else when it is delivered again', async () => {
  let bySweep = 0;
  let statements = 0;
  for (let lived = false; !lived; statements++) {
    const user = await service.user(0);
    const { invoiceID, messages } = await topUp(user, 500);
    const [, paid] = messages('pay');
    lived = await takeAndDie(paid, statements);
    await applyPayments(service.pool());
    const afterSweep = (await billing(user)).balance;
    expect(afterSweep).toBe((await kept(user.id)) ? 500 : 0);
    if (!lived && afterSweep === 500) bySweep++;
    // The provider had no answer, or got a second thought.
    expect((await deliverPayment(paid)).status).toBe(200);
    expect(await invoice(user, invoiceID)).toMatchObject({ state: 'paid', remainingCredits: 500 });
  }
  expect(await databaseOn(service.pool()).reconciliation.differences()).toEqual([]);
  console.log(`killed before each of ${statements - 1} statements; ${bySweep} times the message was ours already`);
  expect(bySweep).toBeGreaterThan(8);
});

it('a refund takes its credits back once', async () => {
  for (let lived = false, statements = 0; !lived; statements++) {
    const user = await service.user(0);
    const { invoiceID, messages } = await topUp(user, 500);
    for (const message of messages('pay')) await deliverPayment(message);
    const message = refund(`re_${statements}`, invoiceID, 200);
    lived = await takeAndDie(message, statements);
    await applyPayments(service.pool());
    await deliverPayment(message);
    expect((await billing(user)).balance).toBe(300);
  }
  expect(await databaseOn(service.pool()).reconciliation.differences()).toEqual([]);
});

// A process is killed between payment and credit, before each statement. After a restart the user is credited once.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { applyPayments } from '../../lambda/orchestration/billing/apply-payments.ts';
import { callbackPaths } from '../../lambda/ports/payments/payment-providers.ts';
import type { SignedMessage } from '../../lambda/ports/payments/local-payment.ts';
import { paymentsOn } from '../api/payments.ts';
import { countConnectionsOf } from '../support/database-outage.ts';
import { baseURL, testService } from '../support/service.ts';
import type { KilledPayment } from '../support/killed-payment.ts';
import { until } from '../support/local-run.ts';

const service = testService();
const { billing, deliverPayment, invoice, refund, topUp } = paymentsOn(service);
const program = join(import.meta.dirname, '../support/killed-payment.ts');

/** Lets a process apply a message and be killed before a statement. @returns whether it survived to its end */
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
  // A sweep skips rows that the dead process had locked, until Postgres has noticed its end.
  await until(async () => (await countConnectionsOf(service, 'killed payment')) === 0);
  return code === 0;
}

/** Whether a message about the invoice of a user is stored. */
async function isKept(userID: string): Promise<boolean> {
  const { rowCount } = await service.pool().query(
    `select from payment_events
     where meaning::text like '%' || (select id from invoices where user_id = $1) || '%'`,
    [userID],
  );
  return rowCount! > 0;
}

it('a payment is credited once: by the sweep if its message was stored, else when it comes again', async () => {
  let bySweep = 0;
  let statements = 0;
  for (let lived = false; !lived; statements++) {
    const user = await service.user(0);
    const { invoiceID, messages } = await topUp(user, 500);
    const [, paid] = messages('pay');
    lived = await takeAndDie(paid, statements);
    await applyPayments(service.pool());
    const afterSweep = (await billing(user)).balance;
    expect(afterSweep).toBe((await isKept(user.id)) ? 500 : 0);
    if (!lived && afterSweep === 500) bySweep++;
    // The provider got no answer and delivers the message again, or it does so anyway.
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

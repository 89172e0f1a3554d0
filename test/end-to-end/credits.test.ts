// Credits on a real local run: bought on the checkout page and by a test deposit, and spent by a real stream.
import { expect, it } from 'vitest';
import { createLoop, until, uploadFile } from '../support/local-run.ts';
import { mediaSample } from '../support/media-samples.ts';
import { testLocalRun } from '../support/test-local-run.ts';

const run = testLocalRun('--no-demo');

const billing = async () => (await run.api('GET', '/billing/overview')).billing;
const invoice = async (id: string) =>
  (await run.api('GET', '/billing/invoices')).data.find((one: { id: string }) => one.id === id);
const submit = (url: string, form: Record<string, string>) =>
  fetch(url, { method: 'POST', body: new URLSearchParams(form) });

it('credits come in by the checkout page and by a test deposit', async () => {
  const before = (await billing()).balance;
  const { checkoutURL, invoiceID } = await run.api('POST', '/billing/top-ups', { amountCents: 2000 });
  expect(await (await fetch(checkoutURL)).text()).toContain('$20.00');
  expect((await fetch(checkoutURL.replace('2000', '1'))).status).toBe(403);
  expect(await (await submit(checkoutURL, { outcome: 'pay' })).text()).toContain('2000 credits');
  const paid = await invoice(invoiceID);
  expect(paid).toMatchObject({ state: 'paid', credits: 2000, remainingCredits: 2000 });
  expect((await fetch(paid.receiptURL)).status).toBe(200);
  const cancelled = await run.api('POST', '/billing/top-ups', { amountCents: 300 });
  await submit(cancelled.checkoutURL, { outcome: 'cancel' });
  expect((await invoice(cancelled.invoiceID)).state).toBe('expired');

  const { address } = await run.api('GET', `/crypto/currencies/${encodeURIComponent('USDC (BASE)')}/deposit-address`);
  const depositsURL = `${run.connection.siteURL}/test-deposits`;
  for (const status of ['confirming', 'confirmed', 'confirmed']) {
    const answer = await submit(depositsURL, { address, amount: '2.5', transaction: 'x', status });
    expect(answer.status).toBe(200);
  }
  expect((await submit(depositsURL, { address: 'nobody', amount: '1' })).status).toBe(422);
  expect((await billing()).balance).toBe(before + 2250);
});

it('credits are spent while a stream is live, and only then', async () => {
  const uploadID = await uploadFile(run.api, await mediaSample('plain.mp4'), 'video/mp4');
  const streamID = await createLoop(run.api, [uploadID], { rtmpURL: run.connection.rtmpURL, streamKey: 'credits' });
  const before = await billing();
  await run.api('POST', `/streams/${streamID}/start`);
  await until(async () => (await run.api('GET', `/streams/${streamID}`)).state === 'active');
  const hasSent = async () => (await run.api('GET', `/streams/${streamID}/stats`)).bytesSent > 0;
  await until(async () => (await hasSent()) && (await billing()).creditsLeft < before.creditsLeft - 0.01);
  const [live, usage] = await Promise.all([billing(), run.api('GET', `/billing/usage?streamID=${streamID}`)]);
  expect(live.balance).toBe(before.balance);
  expect(usage.totals.creditsSpent).toBeCloseTo(live.balance - live.creditsLeft, 2);
  expect(usage.totals.liveSeconds).toBeCloseTo(((live.balance - live.creditsLeft) / 25) * 3600, 0);
  expect(usage.totals.bytesSent).toBeGreaterThan(0);

  await run.api('POST', `/streams/${streamID}/stop`);
  const settled = await billing();
  expect(settled.creditsLeft).toBe(settled.balance);
  await until(async () => (await run.api('GET', `/streams/${streamID}`)).state === 'stopped');
  expect(await billing()).toEqual(settled);
  const { data: invoices } = await run.api('GET', '/billing/invoices');
  const paid = invoices.filter(({ state }: { state: string }) => state === 'paid');
  const remaining = paid.reduce((sum: number, one: { remainingCredits: number }) => sum + one.remainingCredits, 0);
  expect(remaining).toBeCloseTo(settled.creditsLeft, 4);
  const { totals } = await run.api('GET', `/billing/usage?streamID=${streamID}`);
  expect(totals.creditsSpent).toBeCloseTo(before.balance - settled.balance, 4);
}, 120_000);

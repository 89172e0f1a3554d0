// Credits are spent for what is live, while it is live, and for nothing else.
import { expect, it } from 'vitest';
import { recoverReplicas } from '../../lambda/orchestration/recover-replicas.ts';
import { testService } from '../support/service.ts';
import { actorsOn } from './actors.ts';

const service = testService();
const { activeStream, call, claim, data, fire, loseLease, register, report, stream, user } = actorsOn(service);

const creditsLeft = (at: Date) => data().billing.creditsLeft(user().id, at);
const secondsAfter = (at: Date, seconds: number) => new Date(at.getTime() + seconds * 1000);
const intervals = async () => (await service.pool().query('select * from live_intervals where user_id = $1 order by id', [user().id])).rows;
const usage = async () => (await service.pool().query(`select sum(amount) as used from ledger_entries e join ledger_transactions t on t.id = e.transaction_id where t.user_id = $1 and account = 'usage'`, [user().id])).rows[0].used ?? 0;

it('counts from the first evidence to the stop, by the price of quality and framerate', async () => {
  await register('agent');
  const { id } = await activeStream('agent', { quality: 'q_1080p', framerate: 'f_60' });
  const [{ started_at: startedAt }] = await intervals();
  expect(await creditsLeft(secondsAfter(startedAt, 3600))).toBe(1000 - 69);
  await call('POST', `/streams/${id}/stop`);
  const [{ ended_at: endedAt, credits_per_hour: rate }] = await intervals();
  const cost = Math.round(((endedAt - startedAt) / 3_600_000) * 69 * 1e4) / 1e4;
  expect([rate, await usage(), await creditsLeft(secondsAfter(startedAt, 3600))]).toEqual([69, cost, 1000 - cost]);
});

it('counts nothing while the destination takes nothing, and the backup by itself', async () => {
  await register('agent');
  const { held } = await activeStream('agent', { agentModeEnabled: true, runBackupStream: true });
  const [primary, backup] = held;
  const at = new Date();
  await report(primary!, 'failing', { now: secondsAfter(at, 60), reason: { code: 'connection_lost', detail: 'x' } });
  await report(backup!, 'failing', { now: secondsAfter(at, 120), reason: { code: 'connection_lost', detail: 'x' } });
  expect(await creditsLeft(secondsAfter(at, 240))).toBe(await creditsLeft(secondsAfter(at, 3600)));
  await report(primary!, 'live', { now: secondsAfter(at, 300) });
  const rows = await intervals();
  expect(rows.map((row) => [row.role, Math.round((row.ended_at - at.getTime()) / 1000)])).toEqual([['primary', 60], ['backup', 120], ['primary', Math.round(-at.getTime() / 1000)]]);
});

it('ends with the last sign of life of an agent that died', async () => {
  await register('agent');
  const { id } = await activeStream('agent');
  await service.pool().query(`update agents set renewed_at = now() + interval '7 seconds', lease_expires_at = now() - interval '1 second' where id = 'agent'`);
  await service.pool().query(`update live_intervals set started_at = now() - interval '1 hour'`);
  const { renewed_at: renewedAt } = (await service.pool().query(`update agents set renewed_at = now() - interval '30 minutes' where id = 'agent' returning renewed_at`)).rows[0];
  await recoverReplicas(service.pool());
  expect((await stream(id)).state).toBe('failing');
  const [{ ended_at: endedAt }] = await intervals();
  expect(Math.abs(endedAt - renewedAt)).toBeLessThanOrEqual(1);
  expect(await claim('nobody').catch(() => [])).toEqual([]);
  await loseLease('agent');
});

it('stops the streams with the reason when the credits and the grace are over', async () => {
  await register('agent');
  const { id, held } = await activeStream('agent');
  await service.pool().query(`update live_intervals set started_at = now() - interval '41 hours'`);
  await data().billing.lockAccount(user().id);
  await service.pool().query(`update billing_accounts set credits_exhausted_at = now() - interval '301 seconds', due_at = now()`);
  await fire();
  expect(await stream(id)).toMatchObject({ state: 'stopping', stateReason: { code: 'no_credits' } });
  await report(held[0]!, 'ended');
  expect(await stream(id)).toMatchObject({ state: 'stopped', stateReason: { code: 'no_credits' } });
  expect((await call('POST', `/streams/${id}/start`)).body).toMatchObject({ code: 'stream_not_ready' });
});

// A paused account sends nothing: streams stop, starts are refused, schedules, webhooks and imports wait.
import { describe, expect, it } from 'vitest';
import { webhookSenders } from '../../../lambda/data/notices/webhook-senders.ts';
import { webhookHost } from '../../../lambda/domain/shared/outbound-limits.ts';
import { startStream } from '../../../lambda/orchestration/runs/start-stream.ts';
import { putToRest, wake } from '../../support/account-rest.ts';
import { actorsOn, startOptions } from '../../support/actors.ts';
import { untilLockWaits } from '../../support/database-outage.ts';
import { testService } from '../../support/service.ts';
import { clearEvents } from '../../support/webhook-deliveries.ts';

const service = testService();
const {
  activeStream,
  call,
  causes,
  claim,
  commands,
  data,
  dueKinds,
  fallDue,
  fire,
  readyStream,
  register,
  report,
  scheduledStream,
  startedStream,
  stream,
  transaction,
  user,
} = actorsOn(service);

const rest = (how: 'disabled' | 'held' = 'disabled') => putToRest(service, user().id, how);
const awake = () => wake(service, user().id);
const row = async (id: string) => (await data().streams.find(user().id, id))!;
const isAnyDue = async () => (await data().agentRenewals.renew('agent')).isAnyDue;

describe.each(['disabled', 'held'] as const)('the streams of a user who is %s', (how) => {
  it('stop as soon as anybody looks, and agents are told to look', async () => {
    await register('agent');
    const { id, held } = await activeStream('agent');
    expect(await isAnyDue()).toBe(false);
    await rest(how);
    expect(await isAnyDue()).toBe(true);
    await fire();
    expect(await row(id)).toMatchObject({ state: 'stopping', state_reason: { code: 'account_at_rest' } });
    expect((await data().agentRenewals.renew('agent')).ending).toEqual(held.map((replica) => replica.id));
    await report(held[0]!, 'ended');
    expect((await row(id)).state).toBe('stopped');
    expect(await isAnyDue()).toBe(false);
  });

  it('stop although whoever was to stop them died, and although credits were judged meanwhile', async () => {
    await register('agent');
    const { id, held } = await activeStream('agent');
    await rest(how);
    // A process claims a due action, and dies. Then the stream's destination fails, which is metered.
    await data().creditAccounts.takeDue(new Date());
    await report(held[0]!, 'failing');
    await service.pool().query(`update billing_accounts set due_at = due_at - interval '10 seconds'`);
    await fire();
    expect((await row(id)).state).toBe('stopping');
    expect(await causes(id)).toContain('account_at_rest');
  });

  it('do not start, by whatever way', async () => {
    const [id, scheduled] = [await readyStream(), await scheduledStream()];
    await rest(how);
    const started = await transaction(async (tx) =>
      startStream(tx, (await tx.streams.lockAny(id))!, 'start', { ...startOptions, now: new Date() }),
    );
    expect(started).toMatchObject({ issues: [{ code: 'account_at_rest', stage: 'PREFLIGHT' }] });
    await fallDue(scheduled, 'schedule_start');
    await fire();
    expect((await row(scheduled)).state).toBe('scheduled');
  });
});

describe('a schedule', () => {
  it('rests with its user, wakes nobody up meanwhile, and starts late once the user is woken', async () => {
    await register('agent');
    const id = await scheduledStream();
    await rest();
    await fallDue(id, 'schedule_start', 60);
    await fire();
    expect([await dueKinds(id), await isAnyDue()]).toEqual([['schedule_start'], false]);
    expect(await fire()).toBe(0);
    await awake();
    expect(await isAnyDue()).toBe(true);
    // The first pass resumes the schedule, and the second starts it.
    await fire();
    await fire();
    expect(await causes(id)).toEqual(['schedule', 'schedule_start']);
  });

  it('is woken by a sweep where whoever was to wake it died', async () => {
    const id = await scheduledStream();
    await rest();
    await fallDue(id, 'schedule_start', 60);
    await fire();
    await awake();
    await service.pool().query('update billing_accounts set due_at = null');
    await fire();
    expect((await row(id)).state).toBe('scheduled');
    await data().creditAccounts.makeRestDue();
    await fire();
    await fire();
    expect((await row(id)).state).toBe('activating');
  });

  it('that recurs goes on after a time at which the rest ended its stream', async () => {
    await register('agent');
    const id = await scheduledStream({}, { recurrence: { rule: 'FREQ=DAILY', timeZone: 'UTC' } });
    await fallDue(id, 'schedule_start');
    await fire();
    const [replica] = await claim('agent');
    await report(replica!, 'live');
    await rest();
    await fire();
    await report(replica!, 'ended');
    expect(await row(id)).toMatchObject({ state: 'scheduled' });
    expect(await dueKinds(id)).toEqual(['schedule_start']);
  });
});

describe('a start under way while its user is put to rest', () => {
  it('is seen, and stopped', async () => {
    const id = await readyStream();
    const resting = await transaction(async (tx) => {
      await startStream(tx, (await tx.streams.lockAny(id))!, 'start', { ...startOptions, now: new Date() });
      const asked = rest();
      await Promise.race([asked, untilLockWaits(service, 1)]);
      // The account must not count as finished before this start is over.
      await fire();
      return { asked };
    });
    await resting.asked;
    await fire();
    expect((await row(id)).state).toBe('stopped');
  });
});

describe('webhooks and imports', () => {
  it('wait, and go on when the user is woken', async () => {
    await clearEvents(service);
    const { body: webhook } = await call('POST', '/webhooks', {
      url: 'http://127.0.0.1:9/',
      events: ['stream.state_changed'],
    });
    const { body: imported } = await call('POST', '/uploads/import', { url: 'https://example.com/a' });
    await startedStream();
    await rest();
    await service.pool().query('delete from outbox');
    await service.pool().query(`update webhook_deliveries set next_attempt_at = now() - interval '1 day'`);
    expect(await webhookSenders(service.pool()).lease(webhook.id, 30, 4, webhookHost)).toBeNull();
    expect(await data().imports.claim(60, 3600)).toBeNull();
    await data().webhooks.wakeForgotten(60);
    expect(await commands()).toEqual([]);
    await awake();
    expect((await commands()).map(({ queue, body }) => [queue, body])).toEqual([
      ['webhooks', { webhookID: webhook.id }],
      ['imports', { uploadID: imported.id }],
    ]);
    expect(await webhookSenders(service.pool()).lease(webhook.id, 30, 4, webhookHost)).toMatchObject({
      id: webhook.id,
    });
    expect(await data().imports.claim(60, 3600)).toMatchObject({ upload_id: imported.id });
  });
});

describe('the user of an account on hold', () => {
  it('may read and delete, is told why, and changes nothing else', async () => {
    const id = await readyStream();
    await rest('held');
    await service
      .pool()
      .query(`update users set held_reason = 'Write to abuse@example.com.' where id = $1`, [user().id]);
    const refused = await call('POST', `/streams/${id}/start`);
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
      403,
      'account_on_hold',
      'The account is on hold. Write to abuse@example.com.',
    ]);
    expect((await call('PATCH', `/streams/${id}`, { name: 'b' })).body.code).toBe('account_on_hold');
    expect((await call('GET', `/streams/${id}/readiness`)).body).toMatchObject({
      ready: false,
      issues: [{ code: 'account_at_rest', suggestion: 'Write to abuse@example.com.' }],
    });
    expect((await call('DELETE', `/streams/${id}`)).status).toBe(204);
    expect((await stream(id)).code).toBe('not_found');
  });
});

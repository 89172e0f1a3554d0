// Credits are spent for what is live, while it is live, and for nothing else; and what happens when they end.
import { describe, expect, it } from 'vitest';
import { fireCredits } from '../../lambda/orchestration/fire-credits.ts';
import { recoverReplicas } from '../../lambda/orchestration/recover-replicas.ts';
import { paymentsOn } from '../api/payments.ts';
import { testService } from '../support/service.ts';
import { actorsOn, statsWith } from './actors.ts';

const service = testService();
const actors = actorsOn(service);
const { activeStream, call, claim, data, fire, register, report, stream, user } = actors;
const { pay } = paymentsOn(service);

const lost = { code: 'connection_lost', detail: 'x' };
const withBackup = { agentModeEnabled: true, runBackupStream: true };
const after = (at: Date, seconds: number) => new Date(at.getTime() + seconds * 1000);
const creditsLeft = (at: Date) => data().billing.creditsLeft(user().id, at);
const query = async (text: string, values: unknown[] = [user().id]) => (await service.pool().query(text, values)).rows;
const intervals = () => query('select * from live_intervals where user_id = $1 order by id');
const notified = async () =>
  (await query('select kind from notifications where user_id = $1 order by id')).map(({ kind }) => kind);

/** An active stream whose intervals began a while ago. */
async function liveSince(secondsAgo: number, more: object = {}) {
  await register('agent');
  const active = await activeStream('agent', more);
  await query(`update live_intervals set started_at = now() - make_interval(secs => $2) where user_id = $1`, [
    user().id,
    secondsAgo,
  ]);
  return active;
}

describe('an interval', () => {
  it('runs from the first evidence to the stop, by the price of quality and framerate', async () => {
    await register('agent');
    const { id } = await activeStream('agent', { quality: 'q_1080p', framerate: 'f_60' });
    const [{ started_at: startedAt }] = await intervals();
    expect(await creditsLeft(after(startedAt, 3600))).toBe(1000 - 69);
    await call('POST', `/streams/${id}/stop`);
    const [{ ended_at: endedAt, credits_per_hour: rate }] = await intervals();
    const cost = Math.round(((endedAt - startedAt) / 3_600_000) * 69 * 1e4) / 1e4;
    expect([rate, await creditsLeft(after(startedAt, 3600))]).toEqual([69, 1000 - cost]);
  });

  it('does not run while the destination takes nothing; the backup has its own', async () => {
    await register('agent');
    const { held } = await activeStream('agent', withBackup);
    const [primary, backup] = held;
    const at = new Date();
    await report(primary!, 'failing', { now: after(at, 60), reason: lost });
    await report(backup!, 'failing', { now: after(at, 120), reason: lost });
    expect(await creditsLeft(after(at, 240))).toBe(await creditsLeft(after(at, 3600)));
    await report(primary!, 'live', { now: after(at, 300) });
    const rows = await intervals();
    expect(rows.map((row) => [row.role, row.ended_at && Math.round((row.ended_at - at.getTime()) / 1000)])).toEqual([
      ['primary', 60],
      ['backup', 120],
      ['primary', null],
    ]);
    expect(rows[2].started_at).toEqual(after(at, 300));
  });

  it('of a report that comes late ends when it was observed, and never before it began', async () => {
    const { held } = await liveSince(100);
    const [{ started_at: startedAt }] = await intervals();
    await report(held[0]!, 'failing', { now: after(startedAt, 40), reason: lost });
    await report(held[0]!, 'live', { now: after(startedAt, 20) });
    await report(held[0]!, 'failing', { now: after(startedAt, 30), reason: lost });
    expect(
      (await intervals()).map((row) => [(row.started_at - startedAt) / 1000, (row.ended_at - startedAt) / 1000]),
    ).toEqual([
      [0, 40],
      [40, 40],
    ]);
  });

  it('ends with the last sign of life of an agent that died', async () => {
    const { id } = await liveSince(3600);
    const [{ renewed_at: renewedAt }] = await query(
      `update agents set renewed_at = now() - interval '30 minutes' where id = $1 returning date_trunc('milliseconds', renewed_at) as renewed_at`,
      ['agent'],
    );
    await actors.loseLease('agent');
    await recoverReplicas(service.pool());
    expect((await stream(id)).state).toBe('failing');
    expect(Math.abs((await intervals())[0].ended_at - renewedAt)).toBeLessThanOrEqual(1);
  });

  it('of every replica ends with a stream that is deleted while live, and is still known', async () => {
    const { id, held } = await liveSince(3600, withBackup);
    await call('DELETE', `/streams/${id}`);
    for (const replica of held) await report(replica, 'ended');
    expect(await query('select * from streams where id = $1', [id])).toEqual([]);
    const { totals } = (await call('GET', `/billing/usage?streamID=${id}`)).body;
    expect([Math.round(totals.liveSeconds), Math.round(totals.creditsSpent)]).toEqual([3600, 50]);
  });

  it('is not opened by evidence that comes after the stop', async () => {
    const { id, held } = await liveSince(60);
    await call('POST', `/streams/${id}/stop`);
    await report(held[0]!, 'live');
    expect((await intervals()).map((row) => row.ended_at === null)).toEqual([false]);
  });

  it('knows the bytes that were sent in it, of both replicas', async () => {
    const { id, held } = await liveSince(60, withBackup);
    const figures = (bytes: readonly number[]) =>
      data().figures.say(
        'agent',
        held.map(({ id: replicaID, epoch }, index) => ({
          replicaID,
          epoch,
          stats: statsWith({ bytesSent: bytes[index]! }),
        })),
      );
    const bytesSent = async () => (await call('GET', `/billing/usage?streamID=${id}`)).body.totals.bytesSent;
    await figures([1000, 400]);
    expect(await bytesSent()).toBe(1400);
    await report(held[0]!, 'failing', { reason: lost });
    await report(held[0]!, 'live');
    await figures([1500, 600]);
    expect(await bytesSent()).toBe(2100);
    await call('POST', `/streams/${id}/stop`);
    expect(await bytesSent()).toBe(2100);
    expect((await call('GET', `/streams/${id}/stats`)).body.bytesSent).toBe(1500);
  });

  it('is followed by another at a hand-over, without a second between or twice, nor a byte less', async () => {
    const {
      id,
      held: [held],
    } = await liveSince(3600);
    await register('next');
    const at = new Date();
    const sent = (agent: string, epoch: number, bytesSent: number) =>
      data().figures.say(agent, [
        {
          replicaID: held!.id,
          epoch,
          stats: statsWith({ bytesSent, sampledAt: after(at, 120).toISOString() }),
        },
      ]);
    await sent('agent', held!.epoch, 1_000_000);
    await data().replicas.offer('agent');
    const [successor] = await data().replicas.succeed('next', ['ffmpeg'], 10);
    await report(successor!, 'live', { now: after(at, 60) });
    const [before, open] = await intervals();
    expect([before.agent_id, open.agent_id, before.ended_at, open.ended_at]).toEqual([
      'agent',
      'next',
      open.started_at,
      null,
    ]);
    expect(open.started_at).toEqual(after(at, 60));
    await sent('next', successor!.epoch, 500);
    await report(successor!, 'failing', { now: after(at, 180), reason: lost });
    expect((await intervals()).map((row) => row.bytes_after - row.bytes_before)).toEqual([1_000_000, 500]);
    expect((await intervals()).every((row) => row.stream_id === id)).toBe(true);
  });
});

describe('the end of the credits', () => {
  /** With 1000 credits at 25 an hour they last 40 hours. */
  const look = async (hours: number) => {
    const [{ started_at: startedAt }] = await intervals();
    await query('update billing_accounts set due_at = now() where user_id = $1 and due_at is not null');
    await fireCredits(service.pool(), after(startedAt, hours * 3600));
  };

  it('is announced a day and an hour ahead, and when it is there; five minutes later the streams stop with the reason', async () => {
    const { id, held } = await liveSince(0);
    await look(15.9);
    expect(await notified()).toEqual([]);
    await look(16.1);
    await look(39.1);
    await look(40.01);
    expect(await notified()).toEqual(['credits_end_within_day', 'credits_end_within_hour', 'credits_exhausted']);
    expect((await stream(id)).state).toBe('active');
    await look(40.1);
    expect(await stream(id)).toMatchObject({
      state: 'stopping',
      status: 'INACTIVE',
      stateReason: { code: 'no_credits' },
    });
    await report(held[0]!, 'ended');
    expect(await stream(id)).toMatchObject({ state: 'stopped', stateReason: { code: 'no_credits' } });
    expect((await notified()).at(-1)).toBe('streams_stopped_without_credits');
    // Nobody pays for what comes after the grace: five minutes of 25 credits an hour.
    expect((await call('GET', '/billing/overview')).body.billing).toMatchObject({
      balance: -2.0833,
      goodStanding: false,
    });
    const refused = (await call('POST', `/streams/${id}/start`)).body;
    expect([refused.code, refused.readiness.issues.map(({ code }: { code: string }) => code)]).toEqual([
      'stream_not_ready',
      ['no_credits'],
    ]);
    await pay(user(), 100);
    expect((await call('GET', '/billing/overview')).body.billing).toMatchObject({
      creditsLeft: 97.9167,
      goodStanding: true,
    });
    expect((await call('POST', `/streams/${id}/start`)).status).toBe(200);
  });

  it('moves away with a top-up within the grace, and nothing stops', async () => {
    const { id } = await liveSince(40 * 3600 + 200);
    await fire();
    await pay(user(), 5000);
    await fireCredits(service.pool(), new Date(Date.now() + 600_000));
    expect((await stream(id)).state).toBe('active');
    const [{ credits_exhausted_at: at, warned }] = await query('select * from billing_accounts where user_id = $1');
    expect([Math.round((at.getTime() - Date.now()) / 3_600_000), warned]).toEqual([200, null]);
  });

  it('stops each of several streams, also those that are not live yet', async () => {
    const first = await liveSince(0);
    const second = await activeStream('agent');
    const third = await actors.startedStream();
    await query(`update live_intervals set started_at = now() - interval '41 hours' where user_id = $1`);
    await query(
      `update billing_accounts set due_at = now(), credits_exhausted_at = now() - interval '6 minutes' where user_id = $1`,
    );
    await Promise.all([1, 2, 3].map(() => fire()));
    expect([(await stream(first.id)).state, (await stream(second.id)).state, (await stream(third)).state]).toEqual([
      'stopping',
      'stopping',
      'stopped',
    ]);
    for (const id of [first.id, second.id, third])
      expect((await actors.causes(id)).filter((cause) => cause === 'credits_used_up')).toHaveLength(1);
    expect((await notified()).filter((kind) => kind === 'streams_stopped_without_credits')).toHaveLength(1);
  });

  it('is seen by the renewals of agents', async () => {
    await liveSince(10);
    expect((await data().agents.renew('agent')).isAnyDue).toBe(false);
    await query(`update billing_accounts set due_at = now() - interval '1 second' where user_id = $1`);
    expect((await data().agents.renew('agent')).isAnyDue).toBe(true);
    expect(await claim('agent')).toEqual([]);
  });
});

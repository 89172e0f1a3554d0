// Credits are charged for live outputs, only while they are live; and the effects when credits are used up.
import { describe, expect, it } from 'vitest';
import type { Replica } from '../../../lambda/data/fleet/replicas.ts';
import { fireCredits } from '../../../lambda/orchestration/accounts/fire-credits.ts';
import { recoverReplicas } from '../../../lambda/orchestration/fleet/recover-replicas.ts';
import { meterStream } from '../../../lambda/orchestration/billing/meter.ts';
import type { ReplicaReport } from '../../../lambda/orchestration/fleet/replica-reports.ts';
import { paymentsOn } from '../../api/payments.ts';
import { actorsOn, statsWith } from '../../support/actors.ts';
import { roomFor } from '../../support/capacities.ts';
import { intervalsOf, letIntervalsBegin, notificationsOf } from '../../support/books.ts';
import { isStored } from '../../support/rows.ts';
import { testService } from '../../support/service.ts';

const service = testService();
const actors = actorsOn(service);
const { activeStream, call, claim, data, fire, loseLease, register, report, stream, transaction, user } = actors;
const { pay } = paymentsOn(service);

const lost = { code: 'connection_lost', detail: 'x' };
const withBackup = { agentModeEnabled: true, runBackupStream: true };
const after = (at: Date, seconds: number) => new Date(at.getTime() + seconds * 1000);
const creditsLeft = (at: Date) => data().creditAccounts.creditsLeft(user().id, at);
const intervals = () => intervalsOf(service, user().id);
const firstInterval = async () => (await intervals())[0]!;
const notificationKinds = async () => (await notificationsOf(service, user().id)).map(({ kind }) => kind);
const msBetween = (from: Date, to: Date | null) => to!.getTime() - from.getTime();
const hourMs = 3_600_000;

/** An active stream whose intervals began this many seconds ago. */
async function liveSince(secondsAgo: number, more: object = {}) {
  await register('agent');
  const active = await activeStream('agent', more);
  await letIntervalsBegin(service, user().id, secondsAgo);
  return active;
}

/** Makes the last renewal of an agent half an hour old. @returns its time */
async function renewedHalfAnHourAgo(agentID: string): Promise<Date> {
  const { rows } = await service.pool().query<{ renewed_at: Date }>(
    `update agents set renewed_at = now() - interval '30 minutes'
     where id = $1 returning date_trunc('milliseconds', renewed_at) as renewed_at`,
    [agentID],
  );
  return rows[0]!.renewed_at;
}

/** The time at which the user's credits end, and the user's last warning. */
async function outlook(): Promise<{ exhaustedAt: Date; warned: string | null }> {
  const query = 'select credits_exhausted_at, warned from billing_accounts where user_id = $1';
  const { rows } = await service.pool().query(query, [user().id]);
  return { exhaustedAt: rows[0].credits_exhausted_at, warned: rows[0].warned };
}

/** Makes the next check of the user's credits due, if there is one. The column rounds to milliseconds. */
const makeLookDue = () =>
  service
    .pool()
    .query(`update billing_accounts set due_at = now() - interval '1 ms' where user_id = $1 and due_at is not null`, [
      user().id,
    ]);

/** Makes the user's credits end this many minutes ago, contrary to the billing records. */
const letCreditsBeGone = (minutesAgo: number) =>
  service.pool().query(
    `update billing_accounts
     set due_at = now() - interval '1 ms', credits_exhausted_at = now() - make_interval(mins => $2)
     where user_id = $1`,
    [user().id, minutesAgo],
  );

describe('an interval', () => {
  it('runs from the first evidence to the stop, by the price of quality and framerate', async () => {
    await register('agent');
    const { id } = await activeStream('agent', { quality: 'q_1080p', framerate: 'f_60' });
    const { started_at: startedAt } = await firstInterval();
    expect(await creditsLeft(after(startedAt, 3600))).toBe(1000 - 69);
    await call('POST', `/streams/${id}/stop`);
    const { ended_at: endedAt, credits_per_hour: rate } = await firstInterval();
    const cost = Math.round((msBetween(startedAt, endedAt) / hourMs) * 69 * 1e4) / 1e4;
    expect([rate, await creditsLeft(after(startedAt, 3600))]).toEqual([69, 1000 - cost]);
  });

  it('does not run while the destination accepts nothing, and the backup has its own', async () => {
    await register('agent');
    const { held } = await activeStream('agent', withBackup);
    const [primary, backup] = held;
    const at = new Date();
    await report(primary!, 'failing', { now: after(at, 60), reason: lost });
    await report(backup!, 'failing', { now: after(at, 120), reason: lost });
    expect(await creditsLeft(after(at, 240))).toBe(await creditsLeft(after(at, 3600)));
    await report(primary!, 'live', { now: after(at, 300) });
    const rows = await intervals();
    const secondsTo = (end: Date | null) => end && Math.round(msBetween(at, end) / 1000);
    expect(rows.map((row) => [row.role, secondsTo(row.ended_at)])).toEqual([
      ['primary', 60],
      ['backup', 120],
      ['primary', null],
    ]);
    expect(rows[2]!.started_at).toEqual(after(at, 300));
  });

  it('ends when the loss was observed, however late that is reported, and never before it began', async () => {
    const { held } = await liveSince(100);
    const { started_at: startedAt } = await firstInterval();
    await report(held[0]!, 'failing', { now: after(startedAt, 40), reason: lost });
    await report(held[0]!, 'live', { now: after(startedAt, 20) });
    await report(held[0]!, 'failing', { now: after(startedAt, 30), reason: lost });
    const secondsTo = (time: Date | null) => msBetween(startedAt, time) / 1000;
    expect((await intervals()).map((row) => [secondsTo(row.started_at), secondsTo(row.ended_at)])).toEqual([
      [0, 40],
      [40, 40],
    ]);
  });

  it('ends with the last sign of life of an agent that died', async () => {
    const { id } = await liveSince(3600);
    const renewedAt = await renewedHalfAnHourAgo('agent');
    await actors.loseLease('agent');
    await recoverReplicas(service.pool());
    expect((await stream(id)).state).toBe('failing');
    expect(Math.abs(msBetween(renewedAt, (await firstInterval()).ended_at))).toBeLessThanOrEqual(1);
  });

  it('of each replica ends when its stream is deleted while live, and still counts as usage', async () => {
    const { id, held } = await liveSince(3600, withBackup);
    await call('DELETE', `/streams/${id}`);
    for (const replica of held) await report(replica, 'ended');
    expect(await isStored(service, 'streams', id)).toBe(false);
    const { totals } = (await call('GET', `/billing/usage?streamID=${id}`)).body;
    expect([Math.round(totals.liveSeconds), Math.round(totals.creditsSpent)]).toEqual([3600, 50]);
  });

  it('does not begin by evidence that comes after the stop', async () => {
    const { id, held } = await liveSince(60);
    await call('POST', `/streams/${id}/stop`);
    await report(held[0]!, 'live');
    expect((await intervals()).map((row) => row.ended_at === null)).toEqual([false]);
  });

  it('counts the bytes that were sent in it, by both replicas', async () => {
    const { id, held } = await liveSince(60, withBackup);
    const figures = (bytes: readonly number[]) =>
      data().figures.write(
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

  it('is followed by another at a hand-over, with no second and no byte lost or counted twice', async () => {
    const {
      id,
      held: [held],
    } = await liveSince(3600);
    await register('next');
    const at = new Date();
    const sent = (agent: string, epoch: number, bytesSent: number) =>
      data().figures.write(agent, [
        {
          replicaID: held!.id,
          epoch,
          stats: statsWith({ bytesSent, sampledAt: after(at, 120).toISOString() }),
        },
      ]);
    await sent('agent', held!.epoch, 1_000_000);
    await data().replicaClaims.offer('agent');
    const [successor] = await data().replicaClaims.succeed('next', ['ffmpeg'], roomFor(10));
    await report(successor!, 'live', { now: after(at, 60) });
    const [before, open] = await intervals();
    expect(before).toMatchObject({ agent_id: 'agent', ended_at: open!.started_at });
    expect(open).toMatchObject({ agent_id: 'next', started_at: after(at, 60), ended_at: null });
    await sent('next', successor!.epoch, 500);
    await report(successor!, 'failing', { now: after(at, 180), reason: lost });
    expect((await intervals()).map((row) => row.bytes_after! - row.bytes_before)).toEqual([1_000_000, 500]);
    expect((await intervals()).every((row) => row.stream_id === id)).toBe(true);
  });
});

describe('a destination that is too slow', () => {
  const slow = { code: 'too_slow', detail: 'x' };

  it('costs credits while it takes pictures, and nothing while they are left out or it has no connection', async () => {
    const { held } = await liveSince(0);
    const { started_at: at } = await firstInterval();
    const differences = async () =>
      (await data().reconciliation.differences()).filter(({ user_id: id }) => id === user().id);
    const reportAfter = (seconds: number, more: Partial<ReplicaReport>) =>
      report(held[0]!, 'failing', { now: after(at, seconds), reason: slow, ...more });
    await reportAfter(100, {});
    await reportAfter(104, { takesMedia: true });
    expect(await differences()).toEqual([]);
    await reportAfter(200, { takesMedia: false });
    await reportAfter(204, { takesMedia: true });
    await reportAfter(300, { reason: lost, attempt: { failures: 1, nextInMs: 1000, blame: 'destination' } });
    await report(held[0]!, 'live', { now: after(at, 310) });
    await reportAfter(400, {});
    const lengths = (await intervals()).map(({ started_at: from, ended_at: to }) => msBetween(from, to) / 1000);
    expect(lengths).toEqual([100, 96, 96, 90]);
    expect(await differences()).toEqual([]);
  });

  it.each([
    ['it was released', (held: Replica) => data().replicas.release(held)],
    ['it was retried', ({ stream_id: id }: Replica) => call('POST', `/streams/${id}/retry`)],
    ['it was live', (held: Replica) => data().replicas.report(held, 'live', null)],
    [
      'its agent died',
      async () => {
        await loseLease('agent');
        await recoverReplicas(service.pool());
      },
    ],
  ])('costs nothing with an agent that does not report whether it takes pictures, after %s', async (_, leave) => {
    const { id, held } = await liveSince(0);
    await report(held[0]!, 'failing', { reason: slow, takesMedia: true });
    await leave(held[0]!);
    await register('next');
    await claim('next');
    const { rows } = await service.pool().query('select * from replicas where stream_id = $1', [id]);
    await transaction(async (tx) => {
      const locked = (await tx.streams.lockAny(id))!;
      const at = await tx.now();
      await meterStream(tx, locked, at);
      // As agents of the former release do.
      expect(await tx.replicas.report(rows[0], 'failing', lost)).toBe(true);
      await meterStream(tx, locked, at);
    });
    expect((await intervals()).filter(({ ended_at: to }) => to === null)).toEqual([]);
  });
});

describe('the end of the credits', () => {
  /** Checks credits this many hours after the first interval began. At 25 credits an hour, 1000 last 40 hours. */
  const lookAfter = async (hours: number) => {
    const { started_at: startedAt } = await firstInterval();
    await makeLookDue();
    await fireCredits(service.pool(), after(startedAt, hours * 3600));
  };

  it('is announced a day ahead, an hour ahead and when it comes; five minutes later streams stop for it', async () => {
    const { id, held } = await liveSince(0);
    await lookAfter(15.9);
    expect(await notificationKinds()).toEqual([]);
    await lookAfter(16.1);
    await lookAfter(39.1);
    await lookAfter(40.01);
    expect(await notificationKinds()).toEqual([
      'credits_end_within_day',
      'credits_end_within_hour',
      'credits_exhausted',
    ]);
    expect((await stream(id)).state).toBe('active');
    await lookAfter(40.1);
    expect(await stream(id)).toMatchObject({
      state: 'stopping',
      status: 'INACTIVE',
      stateReason: { code: 'no_credits' },
    });
    await report(held[0]!, 'ended');
    expect(await stream(id)).toMatchObject({ state: 'stopped', stateReason: { code: 'no_credits' } });
    expect((await notificationKinds()).at(-1)).toBe('streams_stopped_without_credits');
    // The user owes the five minutes of grace, at 25 credits an hour, and nothing after them.
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

  it.each([
    { bought: 'free_credits', most: 5 },
    { bought: 'credit_purchase', most: 50 },
  ])('with $bought only lets streams cost $most credits more, however dear they are', async ({ bought, most }) => {
    const { id } = await liveSince(0);
    await service.pool().query(`update invoices set type = $2 where user_id = $1`, [user().id, bought]);
    // As many streams with several outputs would, 6,000 credits an hour use up 1,000 in ten minutes.
    await service.pool().query('update live_intervals set credits_per_hour = 6000 where user_id = $1', [user().id]);
    const seconds = 600 + (most / 6000) * 3600;
    await lookAfter(601 / 3600);
    expect(await notificationKinds()).toEqual(['credits_exhausted']);
    expect((await stream(id)).state).toBe('active');
    await lookAfter((seconds - 0.5) / 3600);
    expect((await stream(id)).state).toBe('active');
    await lookAfter((seconds + 2) / 3600);
    expect(await stream(id)).toMatchObject({ state: 'stopping', stateReason: { code: 'no_credits' } });
    expect((await call('GET', '/billing/overview')).body.billing.balance).toBeCloseTo(-most, 1);
  });

  it('moves away with a top-up within the grace, and no stream stops', async () => {
    const { id } = await liveSince(40 * 3600 + 200);
    await fire();
    await pay(user(), 5000);
    await fireCredits(service.pool(), new Date(Date.now() + 600_000));
    expect((await stream(id)).state).toBe('active');
    const { exhaustedAt, warned } = await outlook();
    expect([Math.round((exhaustedAt.getTime() - Date.now()) / hourMs), warned]).toEqual([200, null]);
  });

  it('stops each of several streams, even those that are not live yet', async () => {
    const first = await liveSince(0);
    const second = await activeStream('agent');
    const third = await actors.startedStream();
    await letIntervalsBegin(service, user().id, 41 * 3600);
    await letCreditsBeGone(6);
    await Promise.all([1, 2, 3].map(() => fire()));
    expect([(await stream(first.id)).state, (await stream(second.id)).state, (await stream(third)).state]).toEqual([
      'stopping',
      'stopping',
      'stopped',
    ]);
    for (const id of [first.id, second.id, third])
      expect((await actors.causes(id)).filter((cause) => cause === 'credits_used_up')).toHaveLength(1);
    const told = (await notificationsOf(service, user().id)).filter(
      ({ kind }) => kind === 'streams_stopped_without_credits',
    );
    const ids = [first.id, second.id, third];
    const streams = await Promise.all(ids.map(async (id) => ({ id, name: (await stream(id)).name })));
    expect(told.map(({ detail }) => detail)).toEqual([
      { streamIDs: ids.toSorted(), streams: expect.arrayContaining(streams) },
    ]);
  });

  it('stops them before anything that is due to others, however much that is', async () => {
    const { id } = await liveSince(41 * 3600);
    await letCreditsBeGone(6);
    const other = await service.user();
    await service.pool().query(
      `with due as (
         insert into streams (id, user_id, state, schedule_start_at)
         select 'due_' || n, $1, 'scheduled', now() - interval '1 hour' from generate_series(1, 50) n returning id)
       insert into due_times (stream_id, kind, due_at) select id, 'schedule_start', now() - interval '1 hour' from due`,
      [other.id],
    );
    await fire();
    const { rows } = await service
      .pool()
      .query<{ stream_id: string }>(
        `select stream_id from stream_transitions where cause = 'credits_used_up' or stream_id like 'due%' order by id`,
      );
    expect([rows.length, rows[0]!.stream_id]).toEqual([51, id]);
  });

  it('is told to agents that renew their lease', async () => {
    await liveSince(10);
    expect((await data().agentRenewals.renew('agent')).isAnyDue).toBe(false);
    await makeLookDue();
    expect((await data().agentRenewals.renew('agent')).isAnyDue).toBe(true);
    expect(await claim('agent')).toEqual([]);
  });
});

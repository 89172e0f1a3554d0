// The billing overview, invoices and usage over the API: up to date, per stream, in the caller's time zone.
import { beforeEach, describe, expect, it } from 'vitest';
import { usage as usageOn } from '../../lambda/data/billing/usage.ts';
import { freeCredits } from '../../lambda/domain/billing/credits.ts';
import { fireCredits } from '../../lambda/orchestration/accounts/fire-credits.ts';
import { storeInterval } from '../support/books.ts';
import { testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';
import { confirmAddress } from '../support/stored-credentials.ts';

const service = testService();
let user: TestUser;
let intervals = 0;

beforeEach(async () => {
  user = await service.user();
});

interface Interval {
  readonly from: string;
  readonly to: string | null;
  readonly streamID?: string;
  readonly rate?: number;
  readonly role?: 'primary' | 'backup';
  readonly bytes?: number;
}

/** Stores a live interval of a separate replica, without charging credits for it. */
const live = ({ from, to, streamID = 'str_a', rate = 36, role = 'primary', bytes = 0 }: Interval) =>
  storeInterval(service, {
    userID: user.id,
    streamID,
    replicaID: `rep_${++intervals}`,
    role,
    creditsPerHour: rate,
    from,
    to,
    bytes: to === null ? null : bytes,
  });

/** Postgres' cost of all intervals of the user. */
async function costOfAll(): Promise<number> {
  const query = `select sum(live_cost(credits_per_hour, started_at, ended_at)) as cost
    from live_intervals where user_id = $1`;
  return (await service.pool().query<{ cost: number }>(query, [user.id])).rows[0]!.cost;
}
const usage = async (query: Record<string, string>) => user.call('GET', `/billing/usage?${new URLSearchParams(query)}`);

interface PlanNode {
  readonly Plans?: readonly PlanNode[];
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
}

/** The rows that the joins of a plan have compared in vain. */
function discardedBy(node: PlanNode): number {
  const own = (node['Rows Removed by Join Filter'] ?? 0) * (node['Actual Loops'] ?? 1);
  return (node.Plans ?? []).reduce((sum, each) => sum + discardedBy(each), own);
}

const nothing = { liveSeconds: 0, creditsSpent: 0, bytesSent: 0 };

describe('usage', () => {
  it('splits an interval over the hours that it touches', async () => {
    await live({ from: '2026-03-01T09:45:00Z', to: '2026-03-01T11:15:00Z', bytes: 9000 });
    const { body } = await usage({ from: '2026-03-01T09:00:00Z', to: '2026-03-01T13:00:00Z', granularity: 'hour' });
    expect(body).toMatchObject({
      from: '2026-03-01T09:00:00.000Z',
      to: '2026-03-01T13:00:00.000Z',
      granularity: 'hour',
    });
    expect(body.data).toEqual([
      { start: '2026-03-01T09:00:00.000Z', liveSeconds: 900, creditsSpent: 9, bytesSent: 1500 },
      { start: '2026-03-01T10:00:00.000Z', liveSeconds: 3600, creditsSpent: 36, bytesSent: 6000 },
      { start: '2026-03-01T11:00:00.000Z', liveSeconds: 900, creditsSpent: 9, bytesSent: 1500 },
      { start: '2026-03-01T12:00:00.000Z', liveSeconds: 0, creditsSpent: 0, bytesSent: 0 },
    ]);
    expect(body.totals).toEqual({ liveSeconds: 5400, creditsSpent: 54, bytesSent: 9000 });
  });

  it('counts the seconds of a stream once, and the credits of both replicas', async () => {
    await live({ from: '2026-03-01T09:00:00Z', to: '2026-03-01T10:00:00Z' });
    await live({ from: '2026-03-01T09:30:00Z', to: '2026-03-01T10:30:00Z', role: 'backup' });
    await live({ from: '2026-03-01T09:00:00Z', to: '2026-03-01T09:10:00Z', streamID: 'str_b' });
    const range = { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z' };
    expect((await usage(range)).body.totals).toMatchObject({ liveSeconds: 5400 + 600, creditsSpent: 72 + 6 });
    expect((await usage({ ...range, streamID: 'str_b' })).body.totals).toMatchObject({
      liveSeconds: 600,
      creditsSpent: 6,
    });
    expect((await usage({ ...range, streamID: 'of nobody' })).body.totals).toMatchObject({
      liveSeconds: 0,
      creditsSpent: 0,
    });
  });

  it('of each stream counts the part in the range, the most expensive first, also of deleted ones', async () => {
    await live({ from: '2026-03-01T09:00:00Z', to: '2026-03-01T11:00:00Z', bytes: 8000 });
    await live({ from: '2026-03-01T09:30:00Z', to: '2026-03-01T10:30:00Z', role: 'backup' });
    await live({ from: '2026-03-01T09:00:00Z', to: '2026-03-01T10:10:00Z', streamID: 'str_b' });
    const range = new URLSearchParams({ from: '2026-03-01T10:00:00Z', to: '2026-03-02T00:00:00Z' });
    expect((await user.call('GET', `/billing/usage/streams?${range}`)).body).toEqual({
      data: [
        { streamID: 'str_a', name: null, liveSeconds: 3600, creditsSpent: 54, bytesSent: 4000 },
        { streamID: 'str_b', name: null, liveSeconds: 600, creditsSpent: 6, bytesSent: 0 },
      ],
    });
    expect(await user.call('GET', '/billing/usage/streams?from=2020-01-01T00:00:00Z')).toMatchObject({
      status: 422,
      body: { errors: [{ path: '/query/from' }] },
    });
  });

  it('has parts that sum up to the whole, to the last decimal', async () => {
    await live({ from: '2026-03-01T09:45:00.123Z', to: '2026-04-02T11:15:00.789Z', rate: 0.7333 });
    const range = { from: '2026-03-01T00:00:00Z', to: '2026-05-01T00:00:00Z' };
    const cost = await costOfAll();
    for (const granularity of ['hour', 'day', 'month']) {
      expect((await usage({ ...range, granularity })).body.totals).toMatchObject({
        creditsSpent: cost,
        liveSeconds: 2_770_200.666,
      });
    }
  });

  it('has days of 23 and 25 hours where clocks change, and months of the zone', async () => {
    await live({ from: '2026-03-01T00:00:00Z', to: '2026-12-01T00:00:00Z' });
    const days = async (from: string, to: string, timeZone: string) =>
      (await usage({ from, to, timeZone })).body.data.map((day: { start: string; liveSeconds: number }) => [
        day.start,
        day.liveSeconds / 3600,
      ]);
    expect(await days('2026-03-27T23:00:00Z', '2026-03-30T22:00:00Z', 'Europe/Berlin')).toEqual([
      ['2026-03-27T23:00:00.000Z', 24],
      ['2026-03-28T23:00:00.000Z', 23],
      ['2026-03-29T22:00:00.000Z', 24],
    ]);
    expect(await days('2026-10-24T22:00:00Z', '2026-10-26T23:00:00Z', 'Europe/Berlin')).toEqual([
      ['2026-10-24T22:00:00.000Z', 25],
      ['2026-10-25T23:00:00.000Z', 24],
    ]);
    const range = { from: '2026-02-28T18:30:00Z', to: '2026-04-30T18:30:00Z' };
    const { body } = await usage({ ...range, timeZone: 'Asia/Kolkata', granularity: 'month' });
    const months = body.data;
    expect(months.map((month: { start: string }) => month.start)).toEqual([
      '2026-02-28T18:30:00.000Z',
      '2026-03-31T18:30:00.000Z',
    ]);
    expect(months.map((month: { liveSeconds: number }) => month.liveSeconds / 3600)).toEqual([31 * 24 - 5.5, 30 * 24]);
  });

  it('has an hour twice when clocks are set back, and half an hour where they are set by as much', async () => {
    const hours = async (from: string, to: string, timeZone: string) =>
      (await usage({ from, to, timeZone, granularity: 'hour' })).body.data.map((hour: { start: string }) =>
        hour.start.slice(11, 16),
      );
    expect(await hours('2026-11-01T04:00:00Z', '2026-11-01T08:00:00Z', 'America/New_York')).toEqual([
      '04:00',
      '05:00',
      '06:00',
      '07:00',
    ]);
    expect(await hours('2026-10-03T13:30:00Z', '2026-10-03T17:00:00Z', 'Australia/Lord_Howe')).toEqual([
      '13:30',
      '14:30',
      '15:00',
      '16:00',
    ]);
  });

  it('begins with the whole hour, day or month of `from`, and counts from `from` on', async () => {
    await live({ from: '2026-03-01T00:00:00Z', to: '2026-03-03T00:00:00Z' });
    const { body } = await usage({ from: '2026-03-01T18:00:00Z', to: '2026-03-02T06:00:00Z' });
    expect(body.data).toMatchObject([
      { start: '2026-03-01T00:00:00.000Z', liveSeconds: 21_600 },
      { start: '2026-03-02T00:00:00.000Z', liveSeconds: 21_600 },
    ]);
  });

  it('counts nothing of an interval that ended as it began, or that has not begun', async () => {
    await live({ from: '2026-03-01T09:00:00Z', to: '2026-03-01T09:00:00Z' });
    await live({ from: new Date(Date.now() + 60_000).toISOString(), to: null });
    const past = { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z' };
    expect((await usage(past)).body.totals).toEqual(nothing);
    const nextHour = { to: new Date(Date.now() + 3_600_000).toISOString() };
    expect((await usage(nextHour)).body.totals).toEqual(nothing);
  });

  it('compares no interval with buckets that it does not touch', async () => {
    for (let day = 1; day <= 28; day++)
      await live({ from: `2026-02-${day}T01:20:00Z`, to: `2026-02-${day}T01:40:00Z` });
    const discarded: number[] = [];
    const explained = async (text: string, values?: unknown[]) => {
      const query = `explain (analyze, format json) ${text}`;
      const { rows } = await service.pool().query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(query, values);
      discarded.push(discardedBy(rows[0]!['QUERY PLAN'][0].Plan));
      return { rows: [] };
    };
    const range = { from: new Date('2026-01-01T00:00:00Z'), to: new Date('2026-04-01T00:00:00Z') };
    const asked = { userID: user.id, streamID: null, ...range, now: range.to, granularity: 'hour', timeZone: 'UTC' };
    await usageOn({ query: explained } as never).buckets(asked as never);
    // The 2,160 hours times 28 intervals would be 60,480.
    expect(discarded).toHaveLength(1);
    expect(discarded[0]).toBeLessThan(2160 * 2);
  });

  it('counts nothing of other users', async () => {
    const range = { from: '2026-03-01T00:00:00Z', to: '2026-03-03T00:00:00Z' };
    await live(range);
    user = await service.user();
    expect((await usage(range)).body.totals).toEqual(nothing);
  });

  it('is that of the last 30 days by default, with what is live right now', async () => {
    const started = new Date(Date.now() - 7200_000);
    await live({ from: started.toISOString(), to: null });
    const { body } = await usage({});
    expect(Date.parse(body.to) - Date.parse(body.from)).toBe(30 * 86_400_000);
    expect(body.totals.liveSeconds).toBeCloseTo((Date.parse(body.to) - started.getTime()) / 1000, 2);
    expect(body.totals.creditsSpent).toBeCloseTo(72, 1);
    const { billing } = (await user.call('GET', '/billing/overview')).body;
    expect(billing.balance).toBe(1000);
    expect(billing.creditsLeft).toBeCloseTo(1000 - 72, 1);
    expect(billing.creditsPerHour).toBe(36);
    const leftHours = (Date.parse(billing.creditsExhaustedAt) - Date.now()) / 3_600_000;
    expect(leftHours).toBeCloseTo((1000 - 72) / 36, 1);
  });

  it.for([
    [{ from: '2026-03-02T00:00:00Z', to: '2026-03-02T00:00:00Z' }, '/query/from'],
    [{ from: '2026-01-01T00:00:00Z', to: '2027-01-01T00:00:00Z', granularity: 'hour' }, '/query/granularity'],
    [{ from: '0001-01-01T00:00:00Z', granularity: 'day' }, '/query/granularity'],
    [{ timeZone: 'Mars/Olympus' }, '/query/timeZone'],
    [{ timeZone: '+02:00' }, '/query/timeZone'],
    [{ timeZone: "UTC'" }, '/query/timeZone'],
    [{ timeZone: '' }, '/query/timeZone'],
    [{ granularity: 'week' }, '/query/granularity'],
    [{ from: 'yesterday' }, '/query/from'],
  ] as const)('refuses %j', async ([query, path]) => {
    const { status, body } = await usage(query);
    expect([status, body.errors.map((error: { path: string }) => error.path)]).toEqual([422, [path]]);
  });

  it('can be had in every time zone that Node knows, as Postgres knows it too', async () => {
    const zones = [...Intl.supportedValuesOf('timeZone'), 'UTC', 'US/Eastern', 'GMT'];
    const known = await zonesOfPostgres();
    expect(zones.filter((zone) => !known.has(zone.toLowerCase()))).toEqual([]);
  });
});

/** The time zones that Postgres knows, in lower case. */
async function zonesOfPostgres(): Promise<Set<string>> {
  const query = 'select lower(name) as name from pg_timezone_names';
  return new Set((await service.pool().query<{ name: string }>(query)).rows.map(({ name }) => name));
}

describe('free credits', () => {
  const overview = async () => (await user.call('GET', '/billing/overview')).body.billing;
  const invoices = async () => (await user.call('GET', '/billing/invoices')).body.data;

  it('are given once, to the first user with a confirmed address', async () => {
    user = await service.user(0);
    expect(await overview()).toMatchObject({ eligibleForFreeCredits: false, creditsLeft: 0 });
    await confirmAddress(service, user.id, 'ada@example.com');
    expect(await overview()).toMatchObject({ eligibleForFreeCredits: true, creditsLeft: 0 });
    await Promise.all([1, 2, 3].map(() => fireCredits(service.pool(), new Date())));
    expect(await overview()).toMatchObject({
      eligibleForFreeCredits: false,
      creditsLeft: freeCredits,
      goodStanding: true,
    });
    expect(await invoices()).toMatchObject([
      {
        type: 'free_credits',
        method: 'grant',
        state: 'paid',
        cost: 0,
        credits: freeCredits,
        remainingCredits: freeCredits,
      },
    ]);
    await confirmAddress(service, user.id, 'other@example.com');
    await fireCredits(service.pool(), new Date());
    expect([await invoices(), await overview()]).toMatchObject([
      [{ credits: freeCredits }],
      { eligibleForFreeCredits: false },
    ]);
  });

  it('are not given to other users with the same inbox', async () => {
    const users = [await service.user(0), await service.user(0), await service.user(0)];
    for (const [index, email] of ['grace@example.com', 'grace+more@example.com', 'Grace+x@Example.com'].entries())
      await confirmAddress(service, users[index]!.id, email);
    await fireCredits(service.pool(), new Date());
    const given = await Promise.all(
      users.map(async (one) => (await one.call('GET', '/billing/overview')).body.billing),
    );
    expect(given.map(({ creditsLeft }) => creditsLeft).sort()).toEqual([0, 0, freeCredits].sort());
    expect(given.map(({ eligibleForFreeCredits }) => eligibleForFreeCredits)).toEqual([false, false, false]);
  });
});

describe('invoices', () => {
  it('are paged, newest first', async () => {
    for (let index = 0; index < 5; index++) await user.call('POST', '/billing/top-ups', { amountCents: 100 + index });
    const first = (await user.call('GET', '/billing/invoices?limit=4')).body;
    expect(first.data.map((invoice: { credits: number }) => invoice.credits)).toEqual([104, 103, 102, 101]);
    const second = (await user.call('GET', `/billing/invoices?limit=4&cursor=${first.page.nextCursor}`)).body;
    expect([second.data.map((invoice: { credits: number }) => invoice.credits), second.page]).toEqual([
      [100, 1000],
      { hasMore: false, nextCursor: '' },
    ]);
    expect(second.data[1]).not.toHaveProperty('receiptURL');
  });
});

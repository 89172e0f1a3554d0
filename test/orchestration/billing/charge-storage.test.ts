// The cost of storage: times of warnings, the price of a day, and that each day is charged once.
import { beforeEach, describe, expect, it } from 'vitest';
import { databaseOn } from '../../../lambda/data/database.ts';
import { chargeOf, dayOf } from '../../../lambda/domain/billing/storage-price.ts';
import { chargeStorage } from '../../../lambda/orchestration/billing/charge-storage.ts';
import { notificationsOf } from '../../support/books.ts';
import { testService } from '../../support/service.ts';
import type { TestUser } from '../../support/service.ts';
import { objectKeyOf } from '../../support/stored-uploads.ts';

const freeStoredGiB = 0;
const service = testService({ freeStoredGiB });
const dayMs = 86_400_000;
let user: TestUser;
beforeEach(async () => {
  user = await service.user();
  // Other tests' users are not charged years later.
  await service.pool().query('delete from storage_accounts');
});

/** Stores a number of GiB from a time on; real uploads of that size would have to be sent. */
const store = (gib: number, from: Date) =>
  service.pool().query(
    `insert into stored_levels (user_id, hour, bytes) values ($1, date_trunc('hour', $2::timestamptz, 'UTC'), $3)
     on conflict (user_id, hour) do update set bytes = excluded.bytes`,
    [user.id, from, gib * 1024 ** 3],
  );
const charge = (now: Date) => chargeStorage(service.pool(), { freeStoredGiB }, now);
const overview = async () => (await user.call('GET', '/billing/overview')).body;
const sendUpload = async () => {
  const { body } = await user.call('POST', '/uploads', { name: 'a', mimeType: 'video/mp4' });
  await service
    .objects()
    .write(await objectKeyOf(service, body.id), Buffer.from('media'), { contentType: 'video/mp4' });
  await user.call('POST', `/uploads/${body.id}/complete`);
  return body.id as string;
};

describe('storage', () => {
  it('is told of once somebody has more than the allowance, and costs nothing for a week after that', async () => {
    await charge(new Date());
    expect((await overview()).storage).toMatchObject({ storedBytes: 0, freeBytes: 0, chargedFrom: null });
    await sendUpload();
    const now = new Date();
    await Promise.all([charge(now), charge(now)]);
    const chargedFrom = new Date(now.getTime() + 8 * dayMs).toISOString().slice(0, 10);
    expect(await notificationsOf(service, user.id)).toEqual([
      { kind: 'storage_will_cost', detail: { storedGiB: 0, freeGiB: 0, creditsPerGiBMonth: 4, chargedFrom } },
    ]);
    expect((await overview()).storage).toEqual({
      storedBytes: 5,
      freeBytes: 0,
      creditsPerGiBMonth: 4,
      chargedFrom,
      creditsLast30Days: 0,
    });
    await store(720, now);
    await charge(new Date(`${chargedFrom}T23:59:59Z`));
    expect((await overview()).billing.creditsLeft).toBe(1000);
    await charge(new Date(`${chargedFrom}T24:00:00Z`));
    expect((await overview()).billing.creditsLeft).toBe(904);
  });

  it('costs by the hour of each day that is over, once, however late and by however many', async () => {
    const [from, to] = [new Date('2030-01-01T00:00:00Z'), new Date('2030-01-04T05:00:00Z')];
    await databaseOn(service.pool()).storageCharges.open(user.id, from, '2030-01-01');
    await store(30, new Date('2030-01-01T12:34:00Z'));
    await store(60, new Date('2030-01-02T23:00:00Z'));
    await store(0, new Date('2030-01-03T10:00:00Z'));
    await Promise.all([charge(to), charge(to), charge(to)]);
    await charge(to);
    // 12 hours of 30 GiB; 23 of 30 and one of 60; 10 of 60. Each GiB and hour costs 4/720 of a credit.
    const { rows } = await service
      .pool()
      .query('select day::text, credits from storage_charges where user_id = $1 order by day', [user.id]);
    expect(rows).toEqual([
      { day: '2030-01-01', credits: 2 },
      { day: '2030-01-02', credits: 4.1667 },
      { day: '2030-01-03', credits: 3.3333 },
    ]);
    expect((await overview()).billing.creditsLeft).toBe(990.5);
    expect(await databaseOn(service.pool()).reconciliation.differences()).toEqual([]);
  });

  it('costs the same where a day is charged ten days late, whatever has changed meanwhile', async () => {
    const now = new Date();
    const daysAgo = (days: number) => new Date(Math.floor(now.getTime() / dayMs - days) * dayMs);
    await databaseOn(service.pool()).storageCharges.open(user.id, daysAgo(20), dayOf(daysAgo(11)));
    await store(30, daysAgo(12));
    await store(60, daysAgo(10));
    await store(0, daysAgo(9));
    await sendUpload();
    await charge(now);
    const { rows } = await service
      .pool()
      .query('select day::text, credits from storage_charges where user_id = $1 and credits > 0 order by day', [
        user.id,
      ]);
    expect(rows).toEqual([
      { day: dayOf(daysAgo(11)), credits: 4 },
      { day: dayOf(daysAgo(10)), credits: 8 },
    ]);
  });

  it('is what the uploads of a user have together, as they come and go', async () => {
    const level = async () =>
      (
        await service
          .pool()
          .query('select bytes from stored_levels where user_id = $1 order by hour desc limit 1', [user.id])
      ).rows[0]?.bytes;
    const [first] = [await sendUpload(), await sendUpload()];
    expect(await level()).toBe(10);
    await user.call('DELETE', `/uploads/${first}`);
    expect(await level()).toBe(5);
  });

  it.each([
    ['what it costs where there are credits', 5, 100, 5],
    ['what is owed for thirty days where there are none', 5, 0, 5],
    ['the rest of thirty days', 5, -148, 2],
    ['nothing after that', 5, -150, 0],
    ['nothing where more is owed', 5, -1000, 0],
  ])('takes %s', (_, cost, left, taken) => {
    expect(chargeOf(cost, left)).toBe(taken);
  });
});

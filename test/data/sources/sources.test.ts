// Leases on watched sources: the scanning worker, one source of a user at a time, and late writes of a worker.
import { beforeEach, expect, test } from 'vitest';
import { databaseOn } from '../../../lambda/data/database.ts';
import { applyScan, SourceTaken } from '../../../lambda/orchestration/sources/apply-scan.ts';
import { putToRest, wake } from '../../support/account-rest.ts';
import { clearCommands, commandsTo } from '../../support/outbox-rows.ts';
import { testService } from '../../support/service.ts';
import type { TestUser } from '../../support/service.ts';

const service = testService();
const sources = () => databaseOn(service.pool()).sources;
const claim = () => sources().claim(60);
const wellScanned = { state: 'ok', reason: null, isFailed: false, found: 0, nextScanMinutes: 10 } as const;

beforeEach(async () => {
  await service.pool().query('delete from sources');
});

async function newSource(user: TestUser): Promise<string> {
  return (await user.call('POST', '/sources', { kind: 'rss', url: 'https://example.org/feed.xml' })).body.id;
}

/** Ends the lease of a source, as if its worker had died. */
const endLease = (id: string) =>
  service.pool().query(`update sources set lease_expires_at = now() - interval '1 second' where id = $1`, [id]);

/** Moves all sources closer to their next scan, and further from their last one. */
const letPass = (time: string) =>
  service.pool().query(
    `update sources set due_at = due_at - $1::interval, last_scan_at = last_scan_at - $1::interval
     where lease_expires_at is null`,
    [time],
  );

test('go to one worker each, and one of a user at a time', async () => {
  const [one, other] = [await service.user(), await service.user()];
  const first = await newSource(one);
  const second = await newSource(one);
  const ofOther = await newSource(other);
  expect((await claim())?.id).toBe(first);
  expect((await claim())?.id).toBe(ofOther);
  expect(await claim()).toBeNull();
  const { body } = await one.call('GET', `/sources/${first}`);
  expect(body.lastScanAt).toBeNull();
  await sources().endScan({ id: first, epoch: 1 }, wellScanned);
  expect((await claim())?.id).toBe(second);
  expect(await claim()).toBeNull();
});

test('of users who are not funded are left out while their part is taken', async () => {
  const [free, paying] = [await service.user(0), await service.user()];
  const [first, second] = [await newSource(free), await newSource(paying)];
  expect(await sources().claim(60, { unfunded: true })).toMatchObject({ id: second, is_unfunded: false });
  expect(await sources().claim(60, { unfunded: true })).toBeNull();
  expect(await claim()).toMatchObject({ id: first, is_unfunded: true });
});

test('that are asked for during a look are looked at once more', async () => {
  const user = await service.user();
  const id = await newSource(user);
  const held = (await claim())!;
  await user.call('POST', `/sources/${id}/scan`);
  expect(await claim()).toBeNull();
  await sources().endScan(held, wellScanned);
  await letPass('1 minute');
  expect((await claim())?.id).toBe(id);
});

test('that were looked at in the last minute are not looked at sooner, however often it is asked for', async () => {
  const user = await service.user();
  const id = await newSource(user);
  const ask = async () => expect(await user.call('POST', `/sources/${id}/scan`)).toMatchObject({ status: 202 });
  const held = (await claim())!;
  await ask();
  await sources().endScan(held, wellScanned);
  await ask();
  expect(await claim()).toBeNull();
  await letPass('1 minute');
  const again = (await claim())!;
  await sources().endScan(again, wellScanned);
  await ask();
  expect(await claim()).toBeNull();
  await letPass('1 minute');
  expect((await claim())?.id).toBe(id);
  // A source that was not scanned for longer is due at once.
  await sources().endScan({ id, epoch: again.epoch + 1 }, wellScanned);
  await letPass('2 minutes');
  expect(await claim()).toBeNull();
  await ask();
  expect((await claim())?.id).toBe(id);
});

test.each([{ credentials: null }, { everyMinutes: 10 }, { folder: 'Elsewhere' }])(
  'that are changed by %o are not looked at sooner than a minute after the last look either',
  async (change) => {
    const user = await service.user();
    const id = await newSource(user);
    await sources().endScan((await claim())!, wellScanned);
    expect(await user.call('PATCH', `/sources/${id}`, change)).toMatchObject({ status: 200 });
    expect(await claim()).toBeNull();
    if (!('credentials' in change)) return;
    await letPass('1 minute');
    expect((await claim())?.id).toBe(id);
  },
);

test('of those for whom nothing was looked at for the longest come first, however long others are due', async () => {
  const [many, few] = [await service.user(), await service.user()];
  const first = await newSource(many);
  const second = await newSource(many);
  const third = await newSource(many);
  const ofFew = await newSource(few);
  const turns: (string | undefined)[] = [];
  for (let turn = 0; turn < 4; turn++) {
    const held = (await claim())!;
    turns.push(held.id);
    await sources().endScan(held, { ...wellScanned, nextScanMinutes: 0 });
  }
  expect(turns).toEqual([first, ofFew, second, ofFew]);
  expect(turns).not.toContain(third);
});

test('of a user at rest wait', async () => {
  const user = await service.user();
  const id = await newSource(user);
  await putToRest(service, user.id, 'held');
  expect(await claim()).toBeNull();
  await wake(service, user.id);
  expect((await claim())?.id).toBe(id);
});

test('of a dead worker are freed by the sweep, and what that worker does later has no effect', async () => {
  const user = await service.user();
  const id = await newSource(user);
  const late = (await claim())!;
  await endLease(id);
  await sources().wakeDue(0, 10);
  expect((await claim())?.epoch).toBe(2);
  expect(await sources().endScan(late, wellScanned)).toBe(false);
  const look = { files: [], isWhole: true, leftOut: 0 };
  const options = { pool: service.pool(), source: late, limitFactor: 1, newID: (prefix: string) => prefix };
  await expect(applyScan(options, look)).rejects.toThrow(SourceTaken);
});

test('have a worker woken up a minute before they are due', async () => {
  const user = await service.user();
  const id = await newSource(user);
  await sources().endScan((await claim())!, wellScanned);
  await clearCommands(service);
  await sources().wakeDue(60, 10);
  expect(await commandsTo(service, 'imports')).toEqual([]);
  await service.pool().query(`update sources set due_at = now() + interval '50 seconds'`);
  await sources().wakeDue(60, 10);
  expect(await commandsTo(service, 'imports')).toEqual([{ sourceID: id }]);
  expect(await claim()).toBeNull();
});

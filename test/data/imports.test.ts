// Leases on imports: one worker at a time, and what a worker does too late has no effect.
import { beforeEach, describe, expect, test } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import type { ClaimedImport } from '../../lambda/data/imports.ts';
import { sweep } from '../../lambda/jobs/sweep.ts';
import { createPostgresCommandQueue } from '../../lambda/ports/command-queue/postgres-command-queue.ts';
import { createOutboxTimers } from '../../lambda/ports/timers/outbox-timers.ts';
import { starting } from '../orchestration/actors.ts';
import { testService } from '../support/service.ts';

const service = testService();
const imports = () => databaseOn(service.pool()).imports;
const claim = () => imports().claim(60, 3600);
const identity = ({ upload_id: uploadID, epoch }: ClaimedImport) => ({ uploadID, epoch });
const version = { validator: '"one"', sizeBytes: 10 };
const commands = async () =>
  (
    await service.pool().query(`select body ->> 'uploadID' as id from outbox where queue = 'imports' order by id`)
  ).rows.map(({ id }) => id);

let ids: string[];
beforeEach(async () => {
  await service.pool().query('delete from uploads');
  await service.pool().query('delete from outbox');
  const user = await service.user();
  ids = [];
  for (const name of ['a', 'b'])
    ids.push((await user.call('POST', '/uploads/import', { url: `https://example.com/${name}` })).body.id);
  await service.pool().query('delete from outbox');
});

const row = async (id: string) =>
  (await service.pool().query('select * from imports where upload_id = $1', [id])).rows[0];
/** As if nobody had renewed for long. */
const expire = (id: string) =>
  service.pool().query(`update imports set lease_expires_at = now() - interval '1 second' where upload_id = $1`, [id]);

describe('claims', () => {
  test('at the same time take different imports, the longest waiting first, until none is left', async () => {
    expect((await claim())!.upload_id).toBe(ids[0]);
    const others = await Promise.all([claim(), claim(), claim()]);
    expect(others.map((other) => other?.upload_id ?? null).toSorted()).toEqual([ids[1], null, null].toSorted());
  });

  test('count the time from the first on, and each has an epoch of its own', async () => {
    const first = (await imports().claim(60, 3600))!;
    await imports().giveBack([identity(first)]);
    const second = (await imports().claim(60, 7200))!;
    expect(second).toMatchObject({ upload_id: first.upload_id, epoch: first.epoch + 1 });
    expect(first.seconds_left).toBeCloseTo(3600, 0);
    expect(second.seconds_left).toBeLessThanOrEqual(first.seconds_left);
  });
});

describe('a lease that is over', () => {
  test('is freed once, with a command for others; those that hold are left alone', async () => {
    const [dead, alive] = [(await claim())!, (await claim())!];
    await expire(dead.upload_id);
    await Promise.all([imports().freeExpired(), imports().freeExpired()]);
    await imports().freeExpired();
    expect(await commands()).toEqual([dead.upload_id]);
    expect(await imports().renew([{ ...identity(alive), bytesReceived: 1 }], 60)).toEqual([identity(alive)]);
  });

  test('is freed by the minute sweep too', async () => {
    const dead = (await claim())!;
    await expire(dead.upload_id);
    const queue = createPostgresCommandQueue({ pool: service.pool(), log: () => {} });
    await sweep({
      pool: service.pool(),
      queue,
      timers: createOutboxTimers(service.pool()),
      starting,
      clock: () => new Date(),
    });
    expect(await commands()).toEqual([dead.upload_id]);
  });

  test.each(['while nobody has it', 'while another has it'])('leaves its worker nothing to write, %s', async (when) => {
    const late = (await claim())!;
    await claim();
    await expire(late.upload_id);
    await imports().freeExpired();
    const next = when === 'while another has it' ? (await claim())! : null;
    const before = await row(late.upload_id);
    expect(await imports().renew([{ ...identity(late), bytesReceived: 99 }], 60)).toEqual([]);
    expect(await imports().beginParts(identity(late), 'late', version)).toBe(false);
    expect(await imports().end(identity(late), { bytesReceived: 99, failure: null })).toBe(false);
    await imports().giveBack([identity(late)]);
    expect(await row(late.upload_id)).toEqual(before);
    if (next) expect(await imports().renew([{ ...identity(next), bytesReceived: 5 }], 60)).toEqual([identity(next)]);
  });
});

test('one that has ended is nobody’s any more', async () => {
  const mine = (await claim())!;
  expect(await imports().beginParts(identity(mine), 'parts', version)).toBe(true);
  expect(await imports().end(identity(mine), { bytesReceived: 10, failure: null })).toBe(true);
  expect(await imports().renew([{ ...identity(mine), bytesReceived: 3 }], 60)).toEqual([]);
  await imports().giveBack([identity(mine)]);
  await imports().freeAll();
  expect(await commands()).toEqual([]);
  expect(await row(mine.upload_id)).toMatchObject({ state: 'completed', bytes_received: 10, multipart_id: null });
});

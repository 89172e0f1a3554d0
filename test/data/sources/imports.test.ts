// Leases on imports: one worker at a time, and late writes of a worker have no effect.
import { beforeEach, describe, expect, test } from 'vitest';
import { databaseOn } from '../../../lambda/data/database.ts';
import type { ClaimedImport } from '../../../lambda/data/sources/imports.ts';
import { sweep } from '../../../lambda/jobs/sweep.ts';
import { createPostgresCommandQueue } from '../../../lambda/ports/command-queue/postgres-command-queue.ts';
import { createOutboxTimers } from '../../../lambda/ports/timers/outbox-timers.ts';
import { startOptions, storage } from '../../support/actors.ts';
import { clearCommands, commandsTo } from '../../support/outbox-rows.ts';
import { testService } from '../../support/service.ts';
import { endImportLease } from '../../support/stored-uploads.ts';

const service = testService();
const imports = () => databaseOn(service.pool()).imports;
const claim = () => imports().claim(60, 3600);
const identity = ({ upload_id: uploadID, epoch }: ClaimedImport) => ({ uploadID, epoch });
const version = { validator: '"one"', sizeBytes: 10 };
/** The uploads in the import commands. */
const told = async () =>
  (await commandsTo(service, 'imports')).map((body) => ('uploadID' in body ? body.uploadID : null));

let ids: string[];
beforeEach(async () => {
  await service.pool().query('delete from uploads');
  const user = await service.user();
  ids = [];
  for (const name of ['a', 'b'])
    ids.push((await user.call('POST', '/uploads/import', { url: `https://example.com/${name}` })).body.id);
  await clearCommands(service);
});

/** An import with all its columns. */
const row = async (id: string) =>
  (await service.pool().query('select * from imports where upload_id = $1', [id])).rows[0];
describe('claims', () => {
  test('at the same time take different imports, the longest waiting first, until none is left', async () => {
    expect((await claim())!.upload_id).toBe(ids[0]);
    const others = await Promise.all([claim(), claim(), claim()]);
    expect(others.map((other) => other?.upload_id ?? null).toSorted()).toEqual([ids[1], null, null].toSorted());
  });

  test('count the time of an import from the first claim on, and have an epoch each', async () => {
    const first = (await imports().claim(60, 3600))!;
    await imports().release([identity(first)]);
    const second = (await imports().claim(60, 7200))!;
    expect(second).toMatchObject({ upload_id: first.upload_id, epoch: first.epoch + 1 });
    expect(first.seconds_left).toBeCloseTo(3600, 0);
    expect(second.seconds_left).toBeLessThanOrEqual(first.seconds_left);
  });
});

describe('a lease that is over', () => {
  test('is freed once, with a command for other workers, and leases that hold are not', async () => {
    const [dead, alive] = [(await claim())!, (await claim())!];
    await endImportLease(service, dead.upload_id);
    await Promise.all([imports().freeExpired(), imports().freeExpired()]);
    await imports().freeExpired();
    expect(await told()).toEqual([dead.upload_id]);
    expect(await imports().renew([{ ...identity(alive), bytesReceived: 1 }], 60)).toEqual([identity(alive)]);
  });

  test('is freed by the sweep of each minute too', async () => {
    const dead = (await claim())!;
    await endImportLease(service, dead.upload_id);
    const queue = createPostgresCommandQueue({ pool: service.pool(), log: () => {} });
    await sweep({
      pool: service.pool(),
      queue,
      timers: createOutboxTimers(service.pool()),
      startOptions,
      storage,
      clock: () => new Date(),
    });
    expect(await told()).toEqual([dead.upload_id]);
  });

  test.each(['while nobody has it', 'while another has it'])(
    'keeps its worker from writing anything, %s',
    async (when) => {
      const late = (await claim())!;
      await claim();
      await endImportLease(service, late.upload_id);
      await imports().freeExpired();
      const next = when === 'while another has it' ? (await claim())! : null;
      const before = await row(late.upload_id);
      expect(await imports().renew([{ ...identity(late), bytesReceived: 99 }], 60)).toEqual([]);
      expect(await imports().beginParts(identity(late), 'late', version)).toBe(false);
      expect(await imports().end(identity(late), { bytesReceived: 99, failure: null })).toBe(false);
      await imports().release([identity(late)]);
      expect(await row(late.upload_id)).toEqual(before);
      if (next) expect(await imports().renew([{ ...identity(next), bytesReceived: 5 }], 60)).toEqual([identity(next)]);
    },
  );
});

test('an import that has ended belongs to no worker any more', async () => {
  const mine = (await claim())!;
  expect(await imports().beginParts(identity(mine), 'parts', version)).toBe(true);
  expect(await imports().end(identity(mine), { bytesReceived: 10, failure: null })).toBe(true);
  expect(await imports().renew([{ ...identity(mine), bytesReceived: 3 }], 60)).toEqual([]);
  await imports().release([identity(mine)]);
  await imports().freeAll();
  expect(await told()).toEqual([]);
  expect(await row(mine.upload_id)).toMatchObject({ state: 'completed', bytes_received: 10, multipart_id: null });
});

// Prepared media is deleted with the last upload of its content: only existing objects, in parts, and of no other user.
import { beforeEach, expect, it } from 'vitest';
import { databaseOn } from '../../../lambda/data/database.ts';
import { createMediaWorker } from '../../../lambda/publisher/media-worker.ts';
import { formatNamed } from '../../../lambda/domain/playout/rendition.ts';
import type { MediaCommand } from '../../../lambda/data/shared/outbox.ts';
import { actorsOn } from '../../support/actors.ts';
import { testService } from '../../support/service.ts';
import { clearRenditions } from '../../support/stored-uploads.ts';

const service = testService();
const { commands, data, upload } = actorsOn(service);
const format = 'q_720p-f_30';

let deleted: string[];
let onDelete: (key: string) => Promise<void>;
beforeEach(async () => {
  await clearRenditions(service);
  deleted = [];
  onDelete = async () => {};
});

/** Lets a worker carry out one command. */
async function carryOut(body: MediaCommand): Promise<void> {
  expect(await failuresOf(body)).toEqual([]);
}

/** @returns the failures of a command that a worker carries out */
async function failuresOf(body: object) {
  const objects = {
    ...service.objects(),
    delete: async (key: string) => {
      deleted.push(key);
      await onDelete(key);
    },
  };
  const unused = {
    tools: { ffmpegPath: '', ffprobePath: '' },
    encoderOf: async () => ({ codec: 'h264_nvenc' }) as const,
  };
  const handle = createMediaWorker({
    pool: service.pool(),
    objects,
    ...unused,
    random: () => 0.5,
    limitFactor: 100,
    log: () => {},
  });
  const attributes = { ApproximateReceiveCount: '1' };
  const Records = [{ messageId: crypto.randomUUID(), body: JSON.stringify(body), attributes }];
  const { batchItemFailures } = await handle({ Records } as unknown as Parameters<typeof handle>[0]);
  return batchItemFailures;
}

/** The command that deletes what is left of contents. */
const removal = { task: 'remove_renditions' } as const;
const segmentsDeleted = (content: string) =>
  deleted.filter((key) => key.includes(`/${content}/${format}/`)).map((key) => Number(key.split('/').at(-1)));
const row = async (content: string) =>
  (await service.pool().query('select state, segments_done from renditions where content_hash = $1', [content]))
    .rows[0];

/** The commands for removal that wait, with the seconds until they are due. */
const removals = async () =>
  (
    await service.pool().query<{ in_seconds: number }>(
      `select extract(epoch from visible_at - now())::float as in_seconds from outbox
       where body ->> 'task' = 'remove_renditions'`,
    )
  ).rows;

/** A rendition whose first segments are made. */
async function rendition(content: string, { of, made }: { of: number; made: number }): Promise<void> {
  await data().renditions.begin(content, formatNamed(format), of);
  for (let segment = 0; segment < made; segment++) await data().renditions.finishSegment(content, format, segment);
}

/** Creates an upload with a content. @returns its id */
async function uploadOf(content: string): Promise<string> {
  const id = await upload();
  await data().uploads.recordContentHash(id, content);
  return id;
}

it('goes with the last upload of its content', async () => {
  const [first, second] = [await uploadOf('a'), await uploadOf('a')];
  await rendition('a', { of: 1, made: 1 });
  await data().uploads.delete(first);
  await carryOut(removal);
  expect(await row('a')).toMatchObject({ state: 'ready' });
  await data().uploads.delete(second);
  await carryOut(removal);
  expect([await row('a'), segmentsDeleted('a')]).toEqual([undefined, [0, 1]]);
});

it('does not go with the bytes of an upload, and goes with the command for it', async () => {
  await rendition('a', { of: 1, made: 1 });
  await carryOut({ task: 'delete_object', objectKey: 'uploads/gone' });
  expect(deleted).toEqual(['uploads/gone']);
  await carryOut(removal);
  expect(await row('a')).toBeUndefined();
});

it('the last upload of each content asks for its removal, all with one command', async () => {
  const ids = [await upload(), await uploadOf('a'), await uploadOf('a'), await uploadOf('b')] as const;
  for (const [index, asked] of [0, 0, 1, 1].entries()) {
    await service.pool().query('delete from outbox where user_id is not null');
    await data().uploads.delete(ids[index]!);
    expect(await removals()).toHaveLength(asked);
  }
});

it('goes too if a worker begins it while its upload is deleted', async () => {
  const id = await uploadOf('late');
  const deleting = await service.pool().connect();
  await deleting.query('begin');
  await databaseOn(deleting).uploads.delete(id);
  const beginning = rendition('late', { of: 1, made: 1 });
  const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  await expect.poll(async () => (await service.pool().query(waiting)).rowCount).toBe(1);
  await deleting.query('commit');
  deleting.release();
  await beginning;
  await carryOut(removal);
  expect(await row('late')).toBeUndefined();
});

it('stays if an upload has its content again, and a mark that is too much is taken back', async () => {
  await rendition('back', { of: 1, made: 1 });
  await uploadOf('back');
  await service.pool().query('delete from outbox');
  expect(await data().orphanedRenditions.areLeft()).toBe(false);
  await service.pool().query('update renditions set is_orphan = true');
  await carryOut(removal);
  expect([await row('back'), segmentsDeleted('back')]).toMatchObject([{ state: 'ready', segments_done: 1 }, []]);
  expect([await data().orphanedRenditions.areLeft(), await removals()]).toEqual([false, []]);
});

it('is removed by one command of all agents at a time, and a further one looks again in a minute', async () => {
  await rendition('much', { of: 600, made: 600 });
  await service.pool().query('delete from outbox');
  let meanwhile: Promise<void> | undefined;
  onDelete = async () => void (meanwhile ??= carryOut(removal));
  await carryOut(removal);
  await meanwhile;
  expect(segmentsDeleted('much')).toHaveLength(500);
  const due = (await removals()).map(({ in_seconds: seconds }) => Math.round(seconds));
  expect(due.sort((one, other) => one - other)).toEqual([1, 60]);
});

it('a command of a later release is delivered again', async () => {
  expect(await failuresOf({ task: 'of_a_later_release' })).toHaveLength(1);
});

it('nothing is deleted but what was made, however long a rendition was to be', async () => {
  await rendition('long', { of: 45_000_000, made: 2 });
  await carryOut(removal);
  expect(segmentsDeleted('long').sort()).toEqual([0, 1, 2]);
  expect(await row('long')).toBeUndefined();
});

it('a command deletes a part, and leaves the rest to the next', async () => {
  await rendition('much', { of: 1200, made: 1200 });
  await service.pool().query('delete from outbox');
  let count = 0;
  for (let body: MediaCommand | null = removal; body !== null; count++) {
    const before = segmentsDeleted('much').length;
    await carryOut(body);
    expect(segmentsDeleted('much').length - before).toBeLessThanOrEqual(500);
    body = (await commands()).at(0)?.body ?? null;
    await service.pool().query('delete from outbox');
  }
  expect(count).toBeGreaterThan(2);
  expect(new Set(segmentsDeleted('much')).size).toBe(1201);
  expect(await row('much')).toBeUndefined();
});

it('what another encoder had made before is deleted as well', async () => {
  await rendition('anew', { of: 9, made: 5 });
  await service.pool().query(`update renditions set encoder = 'gone'`);
  await data().renditionEncoders.restart('anew', format, { from: 'gone', to: 'here' });
  await carryOut(removal);
  expect(segmentsDeleted('anew').sort()).toEqual([0, 1, 2, 3, 4, 5]);
});

it('whoever uploads the same while it is deleted has nothing in place of what is gone', async () => {
  await rendition('again', { of: 700, made: 700 });
  await service.pool().query('delete from outbox');
  let heir: string | undefined;
  onDelete = async (key) => {
    if (heir === undefined && key.includes('/again/')) {
      heir = 'coming';
      heir = await uploadOf('again');
    }
  };
  await carryOut(removal);
  // No deleted segment is recorded as existing, and the new upload is prepared from there on.
  const { state, segments_done: done } = await row('again');
  expect(state).toBe('preparing');
  expect(done).toBeLessThanOrEqual(Math.min(...segmentsDeleted('again')));
  const asked = (await commands()).map(({ body }) => body).filter(({ task }) => task === 'prepare_upload');
  expect(asked).toContainEqual({ task: 'prepare_upload', uploadID: heir, contentHash: 'again', format });
});

it('what a worker that died has only noted is deleted by the next', async () => {
  await rendition('half', { of: 9, made: 9 });
  onDelete = async (key) => {
    if (key.includes('/half/')) throw new Error('the worker dies');
  };
  await expect(carryOut(removal)).rejects.toThrow('to deeply equal');
  onDelete = async () => {};
  deleted = [];
  await carryOut(removal);
  expect(segmentsDeleted('half').sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(await row('half')).toBeUndefined();
});

it('what a command is just making is left alone, and asked for again', async () => {
  await rendition('busy', { of: 3, made: 1 });
  await service.pool().query('delete from outbox');
  await data().mediaClaims.take(`busy/${format}`, 'another command');
  await carryOut(removal);
  expect(segmentsDeleted('busy')).toEqual([]);
  expect((await commands()).map(({ body }) => body)).toEqual([{ task: 'remove_renditions' }]);
});

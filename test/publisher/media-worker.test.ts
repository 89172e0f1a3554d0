// A media worker protects its task during a command, and returns commands that it cannot finish.
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { TaskKeeper } from '../../lambda/container/task-keeper.ts';
import { createTaskProtection } from '../../lambda/container/task-protection.ts';
import { createPostgresCommandQueue, redeliver } from '../../lambda/ports/command-queue/postgres-command-queue.ts';
import { queuePolicies } from '../../lambda/ports/command-queue/queues.ts';
import type { MediaCommand } from '../../lambda/data/shared/outbox.ts';
import { createMediaWorker } from '../../lambda/publisher/media-worker.ts';
import type { MediaWorkerOptions } from '../../lambda/publisher/media-worker.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { startConsumer } from '../ports/consumer.ts';
import { actorsOn } from '../support/actors.ts';
import { fastEncoder, mediaSample } from '../support/media-samples.ts';
import { pretendProbed, testService } from '../support/service.ts';
import { objectKeyOf } from '../support/stored-uploads.ts';

const tools = await findMediaTools(process.env);
const service = testService();
const { call, create, data, playlist, upload } = actorsOn(service);

/** The dependencies of a worker that reads from this store. */
const workerWith = (objects: MediaWorkerOptions['objects']): MediaWorkerOptions => ({
  pool: service.pool(),
  objects,
  tools,
  encoderOf: async () => fastEncoder,
  random: () => 0.5,
  limitFactor: 100,
  log: () => {},
});

/**
 * A command to prepare an upload whose bytes arrive under the test's control, and a worker that takes it.
 * @returns a function that ends the bytes early
 */
async function workAtSlowUpload(options: Pick<MediaWorkerOptions, 'returning' | 'onLoad'>) {
  await service.pool().query('delete from outbox');
  const command = { task: 'prepare_upload', uploadID: await upload(), format: 'sound' } as const;
  await data().outbox.send({ queue: 'media', body: command });
  const bytes = new PassThrough();
  // The bytes may fail before anything reads them.
  bytes.on('error', () => {});
  const objects = { ...service.objects(), read: async () => bytes };
  const pool = service.pool();
  const queue = createPostgresCommandQueue({ pool, log: () => {} });
  const consumer = startConsumer(queue, 'media', createMediaWorker({ ...workerWith(objects), ...options }), {
    batchSize: 1,
  });
  onTestFinished(() => {
    bytes.destroy();
    return consumer.stop();
  });
  await expect.poll(() => consumer.received).toHaveLength(1);
  return { command, consumer, failBytes: () => bytes.destroy(new Error('the store is away')) };
}

it('its task is protected while a command is under way, and not before or after', async () => {
  const asked: unknown[] = [];
  // https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task-scale-in-protection-endpoint.html
  const answerAsEcs = async (request: IncomingMessage, response: ServerResponse) => {
    const body = JSON.parse(await text(request));
    const isRight = request.method === 'PUT' && request.url === '/task-protection/v1/state';
    const isValid = typeof body.ProtectionEnabled === 'boolean' && (body.ExpiresInMinutes ?? 1) <= 2880;
    if (isRight && isValid) asked.push(body.ProtectionEnabled);
    const answer = { protection: { ProtectionEnabled: body.ProtectionEnabled, TaskArn: 'arn' } };
    response.writeHead(isRight && isValid ? 200 : 400).end(JSON.stringify(isRight && isValid ? answer : {}));
  };
  const endpoint = createServer((request, response) => void answerAsEcs(request, response));
  await once(endpoint.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void endpoint.close());
  const agentURI = `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}`;
  const protection = createTaskProtection({ agentURI, steadyClock: () => performance.now() });
  const task = { keepWhile: (isWorking: () => boolean) => protection.set(isWorking()) };
  const keeper = new TaskKeeper<'replicas' | 'media commands'>(task, () => {});

  keeper.setWork('replicas', 0);
  keeper.everyMinute();
  const worker = await workAtSlowUpload({ onLoad: (count) => keeper.setWork('media commands', count) });
  // The agent reports every second that it has no replica.
  keeper.setWork('replicas', 0);
  keeper.everyMinute();
  await keeper.idle();
  expect(asked).toEqual([false, true]);
  worker.failBytes();
  await worker.consumer.stop();
  keeper.everyMinute();
  await keeper.idle();
  expect(asked).toEqual([false, true, false]);
});

it('what it must leave becomes a command that nobody has received yet', async () => {
  const returning = new AbortController();
  const { command, consumer } = await workAtSlowUpload({ returning: returning.signal });
  const stopped = consumer.stop();
  returning.abort();
  await stopped;
  const { rows } = await service
    .pool()
    .query(`select body, receives, visible_at <= now() as due from outbox where queue = 'media'`);
  expect(rows).toEqual([{ body: command, receives: 0, due: true }]);
});

it('a command that fails before that counts as received', async () => {
  const { consumer, failBytes } = await workAtSlowUpload({ returning: new AbortController().signal });
  const stopped = consumer.stop();
  failBytes();
  await stopped;
  const { rows } = await service.pool().query(`select receives from outbox where queue = 'media'`);
  expect(rows).toEqual([{ receives: 1 }]);
});

it('no transaction is open while a segment is made, which one command does at a time', async () => {
  const pool = service.pool();
  await pool.query('delete from outbox');
  const uploadID = await upload();
  await data().uploads.recordContentHash(uploadID, 'slow');
  const command = { task: 'prepare_upload', uploadID, format: 'sound' } as const;
  const begun: string[] = [];
  const goOn = new AbortController();
  /** A worker that first requests the address of the media, and waits long for it. */
  const startWorker = (consumer: string) => {
    const presignGet = async () => {
      begun.push(consumer);
      await once(goOn.signal, 'abort');
      throw new Error('the store is away');
    };
    const objects = { ...service.objects(), presignGet };
    const queue = createPostgresCommandQueue({ pool, consumer, log: () => {} });
    const consuming = startConsumer(queue, 'media', createMediaWorker(workerWith(objects)), { batchSize: 1 });
    onTestFinished(async () => {
      goOn.abort();
      await consuming.stop();
    });
    return consuming;
  };

  await data().outbox.send({ queue: 'media', body: command });
  startWorker('first');
  await expect.poll(() => begun).toEqual(['first']);
  const open = await pool.query(
    `select state, query from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null`,
  );
  expect(open.rows).toEqual([]);

  // Another command for the same upload ends at once.
  await data().outbox.send({ queue: 'media', body: command });
  const second = startWorker('second');
  await expect.poll(async () => (await pool.query('select from outbox')).rowCount).toBe(1);
  expect([second.received.length, begun]).toEqual([1, ['first']]);
  // The command of a dead worker continues with the segments that it had claimed.
  await redeliver(pool, 'first');
  await expect.poll(() => begun).toEqual(['first', 'second']);
});

/** Delivers a command to a worker for the last time. */
async function deliverLast(body: MediaCommand): Promise<void> {
  const presignGet = () => mediaSample('plain.mp4');
  const objects = { ...service.objects(), presignGet };
  const handle = createMediaWorker(workerWith(objects));
  const attributes = { ApproximateReceiveCount: String(queuePolicies.media.maxReceives) };
  const Records = [{ messageId: 'poison', body: JSON.stringify(body), attributes }];
  const { batchItemFailures } = await handle({ Records } as unknown as Parameters<typeof handle>[0]);
  expect(batchItemFailures).toEqual([]);
}

/** Makes a table refuse the writes of a command, until the end of the test. */
async function poison(table: string, condition: string): Promise<void> {
  await service.pool().query(`create function poison() returns trigger language plpgsql
    as $$ begin raise exception 'out of range'; end $$`);
  await service
    .pool()
    .query(
      `create trigger poison before update on ${table} for each row when (${condition}) execute function poison()`,
    );
  onTestFinished(async () => {
    await service.pool().query('drop function poison cascade');
  });
}

/** A playlist with an upload that was not inspected yet, whose draft is being published. */
async function publishingWithUnexamined() {
  const uploadID = await create('/uploads', { name: 'clip', mimeType: 'video/mp4' });
  const bytes = await readFile(await mediaSample('plain.mp4'));
  await service.objects().write(await objectKeyOf(service, uploadID), bytes, { contentType: 'video/mp4' });
  await data().uploads.markUploaded(uploadID, bytes.length);
  const streamID = await create('/streams', {});
  const playlistID = await create('/playlists', { streamID, kind: 'video', mode: 'sequential' });
  await call('POST', `/playlists/${playlistID}/operations`, { operations: [{ op: 'add', uploadID }] });
  await call('POST', `/playlists/${playlistID}/publish`);
  await service.pool().query('delete from outbox');
  return { uploadID, playlistID };
}

const mediaCommands = async () =>
  (await service.pool().query(`select body from outbox where queue = 'media'`)).rows.map(
    ({ body }) => body as MediaCommand,
  );

it('an upload whose facts cannot be written fails with the last attempt, and is waited for no longer', async () => {
  const { uploadID, playlistID } = await publishingWithUnexamined();
  await poison('uploads', `new.probe_state = 'completed'`);
  await deliverLast({ task: 'probe_upload', uploadID });
  expect(await data().uploads.findAny(uploadID)).toMatchObject({
    probe_state: 'failed',
    failure: { code: 'not_examined' },
  });
  const commands = await mediaCommands();
  expect(commands).toContainEqual(expect.objectContaining({ task: 'publish_playlist', playlistID }));
  await deliverLast(commands.find(({ task }) => task === 'publish_playlist')!);
  expect(await playlist(playlistID)).toMatchObject({ publishStatus: 'FAILED' });
});

it('a draft whose publishing fails with the last attempt is published no longer, and says so', async () => {
  const { uploadID, playlistID } = await publishingWithUnexamined();
  await pretendProbed(service, uploadID);
  await poison('playlists', `new.publish_status = 'IDLE'`);
  await deliverLast({ task: 'publish_playlist', playlistID, request: 1 });
  expect(await playlist(playlistID)).toMatchObject({
    publishStatus: 'FAILED',
    publishFailure: { code: 'not_published', detail: expect.stringContaining('Publish it again.') },
  });
});

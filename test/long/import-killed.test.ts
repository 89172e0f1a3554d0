// Workers of an import that are killed with SIGKILL at random moments, one after the other: what arrives in the end is the file.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { partBytes } from '../../lambda/ports/object-store/object-store.ts';
import { anyBytes, sendFile, startSource } from '../imports/source-server.ts';
import { testService } from '../support/service.ts';

const service = testService();
const kills = 20;
const maxLifeMs = 1000;

const script = `
  import { createPool } from ${JSON.stringify(new URL('../../lambda/data/queryable.ts', import.meta.url).href)};
  import { createFileObjectStore } from ${JSON.stringify(new URL('../../lambda/ports/object-store/file-object-store.ts', import.meta.url).href)};
  import { startWorker } from ${JSON.stringify(new URL('../imports/worker.ts', import.meta.url).href)};
  const { DATABASE_URL: connectionString, FOLDER: folder } = process.env;
  startWorker(createPool({ connectionString, max: 4 }), createFileObjectStore({ folder, baseURL: 'http://127.0.0.1/objects', signingKey: 'x' }));
  console.log('started');`;

test('the file arrives', async () => {
  const bytes = anyBytes(10 * partBytes + 12_345);
  await using source = await startSource((request, response) =>
    sendFile(bytes, request, response, { cutAfterBytes: 40_000_000 }),
  );
  const user = await service.user();
  const {
    body: { id },
  } = await user.call('POST', '/uploads/import', { url: source.url('/a') });
  const state = async () => (await user.call('GET', `/uploads/${id}`)).body.externalSource.state as string;
  const env = { PATH: process.env.PATH, DATABASE_URL: service.databaseURL(), FOLDER: service.folder() };

  for (let killed = 0; (await state()) !== 'completed'; killed++) {
    const worker = spawn(process.execPath, ['--input-type=module', '-e', script], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(worker, 'exit');
    await once(worker.stdout, 'data');
    if (killed < kills) await delay(Math.random() * maxLifeMs);
    else await expect.poll(state, { timeout: 120_000 }).toBe('completed');
    worker.kill('SIGKILL');
    await exited;
    // As the supervisor of the worker does.
    await databaseOn(service.pool()).imports.freeAll();
  }
  const { object_key: objectKey } = (await databaseOn(service.pool()).uploads.findAny(id))!;
  expect((await buffer(await service.objects().read(objectKey))).equals(bytes)).toBe(true);
  expect(
    (
      await service
        .pool()
        .query(`select count(*) from outbox where queue = 'media' and body ->> 'task' = 'probe_upload'`)
    ).rows,
  ).toEqual([{ count: 1 }]);
});

// Import workers are killed with SIGKILL at random moments, one after the other. In the end the file arrives.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { partBytes } from '../../lambda/domain/media/upload-parts.ts';
import { anyBytes, sendFile, startSource } from '../imports/source-server.ts';
import { requestImport } from '../imports/worker.ts';
import { commandsTo } from '../support/outbox-rows.ts';
import { testService } from '../support/service.ts';
import { objectKeyOf } from '../support/stored-uploads.ts';

const service = testService();
const kills = 20;
const maxLifeMs = 1000;

/** A module, as the program below imports it. */
const moduleAt = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
const script = `
  import { createPool } from ${moduleAt('../../lambda/data/shared/queryable.ts')};
  import { createFileObjectStore } from ${moduleAt('../../lambda/ports/object-store/file-object-store.ts')};
  import { startWorker } from ${moduleAt('../imports/worker.ts')};
  const { DATABASE_URL: connectionString, FOLDER: folder } = process.env;
  const objects = createFileObjectStore({ folder, baseURL: 'http://127.0.0.1/objects', signingKey: 'x' });
  startWorker(createPool({ connectionString, max: 4 }), objects);
  console.log('started');`;

test('a file arrives, although its workers are killed', async () => {
  const bytes = anyBytes(10 * partBytes + 12_345);
  await using source = await startSource((request, response) =>
    sendFile(bytes, request, response, { cutAfterBytes: 40_000_000 }),
  );
  const user = await service.user();
  const id = await requestImport(user, source.url('/a'));
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
    // The supervisor of a worker makes this call after its death.
    await databaseOn(service.pool()).imports.freeAll();
  }
  const stored = await buffer(await service.objects().read(await objectKeyOf(service, id)));
  expect(stored.equals(bytes)).toBe(true);
  const tasks = (await commandsTo(service, 'media')).map(({ task }) => task);
  expect(tasks.filter((task) => task === 'probe_upload')).toHaveLength(1);
});

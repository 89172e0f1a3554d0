// A local run with several publishers: one that is killed loses its streams to another at once, and is started again.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFaultyIngest } from '../support/faulty-ingest.ts';
import type { FaultyIngest } from '../support/faulty-ingest.ts';
import { createLoop, startLocalRun, temporaryDataFolder, until, uploadFile } from '../support/local-run.ts';
import type { LocalRun } from '../support/local-run.ts';
import { mediaSample } from '../support/media-samples.ts';
import { descendantsOf } from '../support/processes.ts';

let data: Awaited<ReturnType<typeof temporaryDataFolder>>;
let run: LocalRun;
let ingest: FaultyIngest;
beforeAll(async () => {
  data = await temporaryDataFolder();
  run = await startLocalRun(data.path, '--no-demo', '--agents', '2');
  ingest = await startFaultyIngest();
}, 60_000);
afterAll(async () => {
  await ingest[Symbol.asyncDispose]();
  expect(await run.interrupt()).toBe(0);
  await data.remove();
});

const agents = async () =>
  (await descendantsOf(run.process.pid!)).filter(({ name }) => name === 'MainThread' || name === 'node');

describe('npm start -- --agents 2', { timeout: 60_000 }, () => {
  it('has two publishers, and streams survive the death of either', async () => {
    const upload = await uploadFile(run.api, await mediaSample('plain.mp4'), 'video/mp4');
    const settings = { quality: 'q_720p', framerate: 'f_30', streamBackend: 'manifest' };
    const streamID = await createLoop(run.api, [upload], { rtmpURL: ingest.rtmpURL, streamKey: 'key' }, settings);
    await run.api('POST', `/streams/${streamID}/start`);
    const publications = () => ingest.keys.get('live/key')?.publications ?? [];
    for (let round = 0; round < 2; round++) {
      await until(async () => (publications()[round]?.pictures ?? 0) > 30 && (await agents()).length === 2);
      // Which of them publishes is not to be seen from outside: one after the other, until it was the one.
      for (const agent of await agents()) {
        process.kill(agent.pid, 'SIGKILL');
        await until(
          async () => (await agents()).every(({ pid }) => pid !== agent.pid) && (await agents()).length === 2,
        );
        if (publications().length > round + 1 || publications()[round]!.endedAtMs !== null) break;
      }
      await until(async () => (publications()[round + 1]?.pictures ?? 0) > 30);
    }
    expect(ingest.keys.get('live/key')).toMatchObject({ mostAtOnce: 1 });
    await until(async () => (await run.api('GET', `/streams/${streamID}`)).state === 'active');
  });
});

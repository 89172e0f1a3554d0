// A local run with two agents: a killed one loses its streams to the other at once, and is restarted.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startFaultyIngest } from '../support/faulty-ingest.ts';
import type { FaultyIngest } from '../support/faulty-ingest.ts';
import { createLoop, until, uploadFile } from '../support/local-run.ts';
import { mediaSample } from '../support/media-samples.ts';
import { nodeProcessesOf } from '../support/processes.ts';
import { testLocalRun } from '../support/test-local-run.ts';

const run = testLocalRun('--no-demo', '--agents', '2');
let ingest: FaultyIngest;
beforeAll(async () => {
  ingest = await startFaultyIngest();
});
afterAll(() => ingest[Symbol.asyncDispose]());

const agents = () => nodeProcessesOf(run.process.pid!);

describe('npm start -- --agents 2', { timeout: 60_000 }, () => {
  it('has two agents, and streams survive the death of either', async () => {
    const upload = await uploadFile(run.api, await mediaSample('plain.mp4'), 'video/mp4');
    const settings = { quality: 'q_720p', framerate: 'f_30', streamBackend: 'manifest' };
    const streamID = await createLoop(run.api, [upload], { rtmpURL: ingest.rtmpURL, streamKey: 'key' }, settings);
    await run.api('POST', `/streams/${streamID}/start`);
    const publications = () => ingest.keys.get('live/key')?.publications ?? [];
    for (let round = 0; round < 2; round++) {
      await until(async () => (publications()[round]?.pictures ?? 0) > 30 && (await agents()).length === 2);
      // The publishing agent is not visible from outside: agents are killed one after the other until it was that one.
      for (const agent of await agents()) {
        process.kill(agent.pid, 'SIGKILL');
        const isReplaced = async () => (await agents()).every(({ pid }) => pid !== agent.pid);
        await until(async () => (await isReplaced()) && (await agents()).length === 2);
        if (publications().length > round + 1 || publications()[round]!.endedAtMs !== null) break;
      }
      await until(async () => (publications()[round + 1]?.pictures ?? 0) > 30);
    }
    expect(ingest.keys.get('live/key')).toMatchObject({ mostAtOnce: 1 });
    await until(async () => (await run.api('GET', `/streams/${streamID}`)).state === 'active');
  });
});

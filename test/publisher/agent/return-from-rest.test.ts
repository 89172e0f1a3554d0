// A stream that comes back after minutes off the air takes its share within the part of users who are not funded.
// Decision D291.
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { actorsOn } from '../../support/actors.ts';
import { capacityFor } from '../../support/capacities.ts';
import { freePort } from '../../support/ingests.ts';
import { mediaSample } from '../../support/media-samples.ts';
import { testService } from '../../support/service.ts';
import { startTestAgent } from '../../support/test-agent.ts';
import { samplesOfFile } from '../../support/test-samples.ts';
import { startScriptedServer } from '../rtmp/scripted-server.ts';

const tools = await findMediaTools(process.env);
const service = testService();
const { call, claim, data, register, startedStream, stream, upload } = actorsOn(service);
const samples = samplesOfFile();
let clip: string;
beforeAll(async () => {
  clip = await mediaSample('plain.mp4');
});

const ask = (text: string, ...values: unknown[]) => service.pool().query(text, values);

it('of a user who is not funded: it waits while others hold the part, and is sent once they have left it', async () => {
  await register('other');
  await startedStream();
  await claim('other');
  await ask(`update replicas set is_unfunded = true, share = 5`);
  await ask(`update agents set lease_expires_at = now() + interval '1 hour'`);

  const port = await freePort();
  const destination = { name: 'server', rtmpURL: `rtmp://127.0.0.1:${port}/live`, streamKey: 'key' };
  const destinationID = (await call('POST', '/destinations', destination)).body.id;
  const id = await startedStream({ videoUploadObjectID: await upload({ durationSeconds: 2 }), destinationID });
  startTestAgent(service, {
    agentID: 'agent',
    capacity: capacityFor(4, 'ffmpeg'),
    tools,
    log: () => {},
    mediaURL: () => samples.urlOf(clip),
    backends: ['ffmpeg'],
    handleMedia: async () => ({ batchItemFailures: [] }),
  });
  const replica = async () => (await data().replicas.ofStream(id))[0]!;
  const share = async () => (await ask('select share from replicas where stream_id = $1', id)).rows[0].share;
  await expect.poll(async () => (await replica()).state).toBe('failing');
  expect(await share()).toBeGreaterThan(0);
  await ask(
    `update replicas set is_unfunded = true, failing_since = now() - interval '3 minutes'
    where stream_id = $1`,
    id,
  );
  await call('POST', `/streams/${id}/retry`);
  await expect.poll(share).toBe(0);

  const server = await startScriptedServer({}, port);
  onTestFinished(() => server[Symbol.asyncDispose]());
  await ask(`update request_windows set began_at = began_at - interval '1 minute'`);
  await call('POST', `/streams/${id}/retry`);
  await expect.poll(async () => (await replica()).agent_id, { timeout: 40_000 }).toBeNull();
  expect((await stream(id)).stateReason.code).toBe('no_capacity');

  await ask(`update replicas set share = 0 where agent_id = 'other'`);
  await expect.poll(async () => (await replica()).state, { timeout: 40_000 }).toBe('live');
  expect(await share()).toBeGreaterThan(0);
}, 120_000);

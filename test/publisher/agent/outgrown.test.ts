// A stream that has outgrown its agent leaves it, and the other streams of the agent stay on air. Decision D291.
import { beforeAll, expect, it } from 'vitest';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { actorsOn } from '../../support/actors.ts';
import { capacityFor } from '../../support/capacities.ts';
import { mediaSample } from '../../support/media-samples.ts';
import { testService } from '../../support/service.ts';
import { startTestAgent } from '../../support/test-agent.ts';
import { samplesOfFile } from '../../support/test-samples.ts';
import { sinkOfTest } from '../../support/test-sink.ts';

const tools = await findMediaTools(process.env);
const service = testService();
const { call, data, startedStream, stream, upload } = actorsOn(service);
const samples = samplesOfFile();
const sink = sinkOfTest();
let clip: string;
beforeAll(async () => {
  clip = await mediaSample('plain.mp4');
});

async function start(streamKey: string): Promise<string> {
  const destination = { name: streamKey, rtmpURL: `rtmp://127.0.0.1:${sink().port}/live`, streamKey };
  const destinationID = (await call('POST', '/destinations', destination)).body.id;
  return startedStream({ videoUploadObjectID: await upload({ durationSeconds: 2 }), destinationID });
}

it('leaves, and waits for an agent with room for what it costs by now', async () => {
  startTestAgent(service, {
    agentID: 'agent',
    capacity: capacityFor(4, 'ffmpeg'),
    tools,
    log: () => {},
    mediaURL: () => samples.urlOf(clip),
    backends: ['ffmpeg'],
    handleMedia: async () => ({ batchItemFailures: [] }),
  });
  const [grown, other] = [await start('grown'), await start('other')];
  const replicaOf = async (id: string) => (await data().replicas.ofStream(id))[0]!;
  for (const id of [grown, other]) await expect.poll(async () => (await replicaOf(id)).state).toBe('live');
  await service.pool().query('update replicas set cores = 6 * cores where stream_id = $1', [grown]);
  await expect.poll(async () => (await replicaOf(grown)).agent_id, { timeout: 40_000 }).toBeNull();
  expect((await stream(grown)).stateReason).toMatchObject({
    code: 'no_capacity',
    detail: expect.stringMatching(/costs more to decode/),
  });
  expect(await replicaOf(other)).toMatchObject({ state: 'live', epoch: 1 });
  await service.pool().query('update replicas set cores = cores / 4 where stream_id = $1', [grown]);
  await expect.poll(async () => (await replicaOf(grown)).state, { timeout: 40_000 }).toBe('live');
}, 120_000);

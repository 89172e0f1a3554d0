// Two agents on one Postgres that send to the sink: they share, return and lose work, and survive outages.
import { beforeAll, describe, expect, inject, it } from 'vitest';
import type { Channel } from '../../../bin/local/rtmp-sink/channel.ts';
import { LeaseLost } from '../../../lambda/publisher/agent/agent-lease.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { actorsOn } from '../../support/actors.ts';
import { declareDead } from '../../support/agent-leases.ts';
import { capacityFor } from '../../support/capacities.ts';
import { whileDatabaseIsAway } from '../../support/database-outage.ts';
import { freePort } from '../../support/ingests.ts';
import { mediaSample } from '../../support/media-samples.ts';
import { descendantsOf } from '../../support/processes.ts';
import { claimUnanswered, heldEpochs, letFail, replicasByAgent } from '../../support/replica-claims.ts';
import { testService } from '../../support/service.ts';
import { startTestAgent } from '../../support/test-agent.ts';
import type { TestAgent } from '../../support/test-agent.ts';
import { samplesOfFile } from '../../support/test-samples.ts';
import { sinkOfTest } from '../../support/test-sink.ts';
import { startScriptedServer } from '../rtmp/scripted-server.ts';

const tools = await findMediaTools(process.env);
const service = testService();
const { armNow, call, claim, loseLease, readyStream, register, startedStream, stream, upload } = actorsOn(service);

const samples = samplesOfFile();
const sink = sinkOfTest();
let clip: string;
beforeAll(async () => {
  clip = await mediaSample('plain.mp4');
});

let agents = 0;

/** Runs an agent of the ffmpeg backend until the end of the test at the latest. */
function startAgent(agentID: string, streams = 4): TestAgent {
  return startTestAgent(service, {
    agentID,
    capacity: capacityFor(streams, 'ffmpeg'),
    tools,
    log: () => {},
    mediaURL: () => samples.urlOf(clip),
    supervisor: `supervisor ${++agents}`,
    backends: ['ffmpeg'],
    handleMedia: async () => ({ batchItemFailures: [] }),
  });
}

/** Creates a stream with a loop of two seconds, and starts it. */
async function startStream(streamKey: string, port = sink().port): Promise<string> {
  const destination = await call('POST', '/destinations', {
    name: 'sink',
    rtmpURL: `rtmp://127.0.0.1:${port}/live`,
    streamKey,
  });
  return startedStream({
    videoUploadObjectID: await upload({ durationSeconds: 2 }),
    destinationID: destination.body.id,
  });
}

const holders = () => replicasByAgent(service);
const statsOf = async (id: string) => (await call('GET', `/streams/${id}/stats`)).body;

function untilState(id: string, state: string): Promise<void> {
  return expect.poll(async () => (await stream(id)).state).toBe(state);
}

function untilChannels(expected: readonly Partial<Channel>[], timeout = 10_000): Promise<void> {
  return expect.poll(() => sink().channels(), { timeout }).toMatchObject(expected);
}

async function ownFfmpegs(): Promise<string[]> {
  return (await descendantsOf(process.pid)).map(({ name }) => name).filter((name) => name.startsWith('ffmpeg'));
}

describe('two agents', () => {
  it('claim each replica once, and no more than they have room for', async () => {
    // All wait before any is encoded: an agent whose encoders are slow claims nothing more.
    const ids = await Promise.all(['a', 'b', 'c', 'd'].map((key) => startStream(key)));
    startAgent('first', 2);
    startAgent('second', 1);
    await expect.poll(holders).toEqual({ first: 2, second: 1 });
    const onAir = async () => (await Promise.all(ids.map(stream))).filter(({ state }) => state === 'active');
    await expect.poll(onAir).toHaveLength(3);
    const channels = sink().channels();
    expect(channels.map(({ live, connections }) => [live, connections])).toEqual(ids.slice(1).map(() => [true, 1]));
    expect(await heldEpochs(service)).toEqual([1, 1, 1]);
  });

  it('hand a stream over when one of them is asked to end, and leave nothing of it behind', async () => {
    const first = startAgent('first');
    const id = await startStream('a');
    await untilState(id, 'active');
    startAgent('second');
    await first.stop();
    expect(await first.ended).toBeNull();
    await untilChannels([{ live: true, connections: 2, timestampRegressions: 0 }]);
    expect(await holders()).toEqual({ second: 1 });
    await untilState(id, 'active');
  });

  it('do not both publish: one that was declared dead ends what it holds, and says so', async () => {
    const first = startAgent('first');
    const id = await startStream('a');
    await untilState(id, 'active');
    await declareDead(service, 'first');
    expect(await first.ended).toBeInstanceOf(LeaseLost);
    await untilChannels([{ live: false, connections: 1 }]);
    expect(await ownFfmpegs()).toEqual([]);
    startAgent('second');
    await untilChannels([{ live: true, connections: 2 }]);
    await untilState(id, 'active');
  });
});

describe('an agent', () => {
  it('ends a stopped stream within two seconds, properly, and leaves no process of it', async () => {
    startAgent('agent');
    const id = await startStream('a');
    await untilState(id, 'active');
    await call('POST', `/streams/${id}/stop`);
    await untilChannels([{ live: false }], 2000);
    await untilState(id, 'stopped');
    expect(await ownFfmpegs()).toEqual([]);
    expect(await holders()).toEqual({});
  });

  it('that is asked to end while a stream stops leaves the stream stopped', async () => {
    const agent = startAgent('agent');
    const id = await startStream('a');
    await untilState(id, 'active');
    await call('POST', `/streams/${id}/stop`);
    await agent.stop();
    expect((await stream(id)).state).toBe('stopped');
  });

  it('takes over from a dead one although something that is due fails each time', async () => {
    const id = await startStream('a');
    await register('dead');
    expect(await claim('dead')).toHaveLength(1);
    await loseLease('dead');
    // The lifecycle refuses to start a stream without a schedule.
    await armNow(await readyStream(), 'schedule_start');
    startAgent('agent');
    await untilState(id, 'active');
    expect(await holders()).toEqual({ agent: 1 });
  });

  it('has room although streams have been off the air for minutes, and tries them all the same', async () => {
    const port = await freePort();
    const silent = await startStream('silent', port);
    await letFail(service, silent, 300);
    startAgent('agent', 1);
    await untilState(silent, 'activating');
    await expect.poll(async () => (await stream(silent)).stateReason?.code).toBe('unreachable');
    const other = await startStream('other');
    await untilState(other, 'active');
    expect(await holders()).toEqual({ agent: 2 });
    // Its destination has returned, but its room is taken: it waits for an agent that has room.
    await using back = await startScriptedServer({}, port);
    await expect.poll(() => back.connections.length).toBe(1);
    await expect.poll(holders).toEqual({ agent: 1 });
    expect((await stream(silent)).stateReason).toMatchObject({ code: 'no_capacity' });
    await call('POST', `/streams/${other}/stop`);
    await untilState(silent, 'active');
  });

  it('waits for a server that asks somebody for 12 s whether it takes the stream', async () => {
    const started = { level: 'status', code: 'NetStream.Publish.Start' };
    await using server = await startScriptedServer({
      publish: ({ reply }) => void setTimeout(() => reply('onStatus', 0, null, started), 12_000),
    });
    startAgent('agent');
    const id = await startStream('a', server.port);
    await untilState(id, 'active');
    expect(server.connections).toHaveLength(1);
  });

  it('publishes what it claimed although the answer to its claim was lost', async () => {
    const id = await startStream('a');
    await claimUnanswered(service, { streamID: id, agentID: 'agent', startAgent: () => startAgent('agent') });
    await untilState(id, 'active');
    expect(sink().channels()).toMatchObject([{ live: true, connections: 1 }]);
  });

  it('loses no frame while its database is away for two loops, and works with it again afterwards', async () => {
    startAgent('agent');
    const id = await startStream('a');
    await untilState(id, 'active');
    const sentMs = () => sink().channels()[0]!.lastTimestampMs!;
    const urls = { databaseURL: service.databaseURL(), serverURL: inject('postgresURL') };
    await whileDatabaseIsAway(urls, async () => {
      const beforeMs = sentMs();
      await expect.poll(() => sentMs() - beforeMs).toBeGreaterThan(5000);
    });
    const { framesSent } = await statsOf(id);
    await expect.poll(async () => (await statsOf(id)).framesSent).toBeGreaterThan(framesSent);
    expect(await statsOf(id)).toMatchObject({ droppedFrames: 0, reconnects: 0 });
    const channel = sink().channels()[0]!;
    expect(channel).toMatchObject({ live: true, connections: 1, timestampRegressions: 0 });
    // There is a frame every 33 1/3 ms from 0 on, without gaps.
    const framesExpected = (channel.lastTimestampMs! * 30) / 1000;
    expect(Math.abs(channel.videoFrames - framesExpected)).toBeLessThanOrEqual(2);
    expect((await stream(id)).state).toBe('active');
  });
});

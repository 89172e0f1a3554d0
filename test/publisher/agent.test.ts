// Agents share the work, give it back, lose it and outlast their database: two of them on one Postgres, publishing to the sink.
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest';
import type { Channel } from '../../bin/local/rtmp-sink/channel.ts';
import { startRtmpSink } from '../../bin/local/rtmp-sink/rtmp-sink.ts';
import type { RtmpSink } from '../../bin/local/rtmp-sink/rtmp-sink.ts';
import { createPool } from '../../lambda/data/queryable.ts';
import { createPostgresCommandQueue } from '../../lambda/ports/command-queue/postgres-command-queue.ts';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import { LeaseLost, runAgent } from '../../lambda/publisher/agent.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { actorsOn, onLoopback, starting } from '../orchestration/actors.ts';
import { onServer } from '../support/database.ts';
import { mediaSample, serveSamples } from '../support/media-samples.ts';
import type { SampleServer } from '../support/media-samples.ts';
import { descendantsOf } from '../support/processes.ts';
import { testDataKey, testService } from '../support/service.ts';

const tools = await findMediaTools(process.env);
const service = testService();
const { call, claim, loseLease, readyStream, register, startedStream, stream, upload } = actorsOn(service);

let samples: SampleServer;
let clip: string;
let sink: RtmpSink;
beforeAll(async () => {
  samples = await serveSamples();
  clip = await mediaSample('plain.mp4');
});
afterAll(() => samples[Symbol.asyncDispose]());
beforeEach(async () => {
  sink = await startRtmpSink({ port: 0 });
  onTestFinished(() => sink.close());
});

function databaseURL(): string {
  return service.pool().options.connectionString!;
}

interface RunningAgent {
  /** What SIGTERM does. */
  stop(): Promise<void>;
  /** What it ended with; null without an error. */
  readonly ended: Promise<unknown>;
}

let agents = 0;

/** Runs until the end of the test at the latest. */
function startAgent(agentID: string, slots = 4): RunningAgent {
  const log = () => {};
  const pool = createPool({ connectionString: databaseURL(), max: 5 });
  const { settings, ...rest } = starting;
  const stopping = new AbortController();
  const running = runAgent(
    {
      agentID,
      slots,
      pool,
      tools,
      log,
      settings,
      supervisor: `supervisor ${++agents}`,
      release: 'test',
      zone: null,
      peering: onLoopback,
      backends: ['ffmpeg'],
      queue: createPostgresCommandQueue({ pool, log }),
      objects: Object.assign(Object.create(service.objects()), { presignGet: async () => samples.urlOf(clip) }),
      sealer: createSealer([testDataKey]),
      encoder: { codec: 'libx264', preset: 'ultrafast' },
      handleMedia: async () => ({ batchItemFailures: [] }),
      starting: rest,
      steadyClock: () => performance.now(),
    },
    stopping.signal,
  );
  const ended = running.then(
    () => null,
    (error: unknown) => error,
  );
  const agent = {
    ended,
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
  onTestFinished(async () => {
    await agent.stop();
    await pool.end();
  });
  return agent;
}

/** A started stream with a loop of two seconds. */
async function startStream(streamKey: string): Promise<string> {
  const destination = await call('POST', '/destinations', {
    name: 'sink',
    rtmpURL: `rtmp://127.0.0.1:${sink.port}/live`,
    streamKey,
  });
  return startedStream({
    videoUploadObjectID: await upload({ durationSeconds: 2 }),
    destinationID: destination.body.id,
  });
}

async function holders(): Promise<{ agent_id: string; streams: number }[]> {
  const { rows } = await service
    .pool()
    .query(
      'select agent_id, count(*)::int as streams from replicas where agent_id is not null group by agent_id order by agent_id',
    );
  return rows;
}

function untilState(id: string, state: string): Promise<void> {
  return expect.poll(async () => (await stream(id)).state, { timeout: 10_000 }).toBe(state);
}

function untilChannels(expected: readonly Partial<Channel>[], timeout = 10_000): Promise<void> {
  return expect.poll(() => sink.channels(), { timeout }).toMatchObject(expected);
}

async function ownFfmpegs(): Promise<string[]> {
  return (await descendantsOf(process.pid)).map(({ name }) => name).filter((name) => name.startsWith('ffmpeg'));
}

describe('two agents', { timeout: 30_000 }, () => {
  it('claim each replica once, and no more than they have slots', async () => {
    startAgent('first', 2);
    startAgent('second', 1);
    const ids = await Promise.all(['a', 'b', 'c', 'd'].map(startStream));
    await expect.poll(holders, { timeout: 10_000 }).toEqual([
      { agent_id: 'first', streams: 2 },
      { agent_id: 'second', streams: 1 },
    ]);
    await expect
      .poll(() => sink.channels().filter(({ videoFrames }) => videoFrames > 60), { timeout: 10_000 })
      .toHaveLength(3);
    expect(sink.channels().map(({ connections }) => connections)).toEqual([1, 1, 1]);
    expect((await Promise.all(ids.map(stream))).map(({ state }) => state).sort()).toEqual([
      'activating',
      'active',
      'active',
      'active',
    ]);
    const { rows } = await service.pool().query('select epoch from replicas where agent_id is not null');
    expect(rows).toEqual([{ epoch: 1 }, { epoch: 1 }, { epoch: 1 }]);
  });

  it('hand a stream over when one is asked to end: nothing of it is left, and the other goes on', async () => {
    const first = startAgent('first');
    const id = await startStream('a');
    await untilState(id, 'active');
    startAgent('second');
    await first.stop();
    expect(await first.ended).toBeNull();
    await untilChannels([{ live: true, connections: 2, timestampRegressions: 0 }]);
    expect(await holders()).toEqual([{ agent_id: 'second', streams: 1 }]);
    await untilState(id, 'active');
  });

  it('do not both publish: one that was buried ends what it holds, and says that it did', async () => {
    const first = startAgent('first');
    const id = await startStream('a');
    await untilState(id, 'active');
    await service.pool().query(`update agents set lease_expires_at = '-infinity' where id = 'first'`);
    expect(await first.ended).toBeInstanceOf(LeaseLost);
    await untilChannels([{ live: false, connections: 1 }]);
    expect(await ownFfmpegs()).toEqual([]);
    startAgent('second');
    await untilChannels([{ live: true, connections: 2 }]);
    await untilState(id, 'active');
  });
});

describe('an agent', { timeout: 30_000 }, () => {
  it('ends a stream that is stopped within two seconds, properly, and leaves no process of it', async () => {
    startAgent('agent');
    const id = await startStream('a');
    await untilState(id, 'active');
    await call('POST', `/streams/${id}/stop`);
    await untilChannels([{ live: false }], 2000);
    await untilState(id, 'stopped');
    expect(await ownFfmpegs()).toEqual([]);
    expect(await holders()).toEqual([]);
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
    // A start that the lifecycle refuses.
    await service
      .pool()
      .query(`insert into due_times (stream_id, kind, due_at) values ($1, 'schedule_start', now())`, [
        await readyStream(),
      ]);
    startAgent('agent');
    await untilState(id, 'active');
    expect(await holders()).toEqual([{ agent_id: 'agent', streams: 1 }]);
  });

  it('publishes what it claimed although the answer was lost', async () => {
    const id = await startStream('a');
    const lost = await service.pool().connect();
    await lost.query('begin');
    await lost.query('select from replicas where stream_id = $1 for update', [id]);
    startAgent('agent');
    await expect.poll(async () => (await lost.query('select id from agents')).rows).toEqual([{ id: 'agent' }]);
    await lost.query(
      `update replicas set agent_id = 'agent', epoch = epoch + 1, state = 'connecting' where stream_id = $1`,
      [id],
    );
    await lost.query('commit');
    lost.release();
    await untilState(id, 'active');
    expect(sink.channels()).toMatchObject([{ live: true, connections: 1 }]);
  });

  it('loses no frame while its database is away for two joins, and is there again after', async () => {
    startAgent('agent');
    const id = await startStream('a');
    await untilState(id, 'active');
    const database = new URL(databaseURL()).pathname.slice(1);
    const sentMs = () => sink.channels()[0]!.lastTimestampMs!;
    await onServer(inject('postgresURL'), `alter database "${database}" with allow_connections false`);
    try {
      await onServer(
        inject('postgresURL'),
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`,
      );
      const beforeMs = sentMs();
      await expect.poll(() => sentMs() - beforeMs, { timeout: 15_000 }).toBeGreaterThan(5000);
    } finally {
      await onServer(inject('postgresURL'), `alter database "${database}" with allow_connections true`);
    }
    const { framesSent } = (await call('GET', `/streams/${id}/stats`)).body;
    await expect
      .poll(async () => (await call('GET', `/streams/${id}/stats`)).body.framesSent, { timeout: 10_000 })
      .toBeGreaterThan(framesSent);
    expect((await call('GET', `/streams/${id}/stats`)).body).toMatchObject({ droppedFrames: 0, reconnects: 0 });
    const [channel] = sink.channels();
    expect(channel).toMatchObject({ live: true, connections: 1, timestampRegressions: 0 });
    // A frame every 33 1/3 ms from 0 on, and none missing.
    expect(Math.abs(channel!.videoFrames - (channel!.lastTimestampMs! * 30) / 1000)).toBeLessThanOrEqual(2);
    expect((await stream(id)).state).toBe('active');
  });
});

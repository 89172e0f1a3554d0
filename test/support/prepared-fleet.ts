// Agents in this process, with streams of the manifest backend on a faulty ingest: cheap enough for dozens of streams.
import { afterAll, beforeAll, beforeEach, expect, onTestFinished } from 'vitest';
import { createPool } from '../../lambda/data/queryable.ts';
import { createPostgresCommandQueue } from '../../lambda/ports/command-queue/postgres-command-queue.ts';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import { runAgent } from '../../lambda/publisher/agent.ts';
import type { AgentOptions } from '../../lambda/publisher/agent-options.ts';
import { createMediaWorker } from '../../lambda/publisher/media-worker.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import type { Actors } from '../orchestration/actors.ts';
import { onLoopback, starting } from '../orchestration/actors.ts';
import { startFaultyIngest } from './faulty-ingest.ts';
import type { FaultyIngest, Publication } from './faulty-ingest.ts';
import { mediaSample, serveSamples } from './media-samples.ts';
import { testDataKey } from './service.ts';
import type { TestService } from './service.ts';

export interface FleetAgent {
  /** What SIGTERM does. */
  stop(): Promise<void>;
  /** What it ended with; null without an error. */
  readonly ended: Promise<unknown>;
}

const encoder = { codec: 'libx264', preset: 'ultrafast' } as const;
const format = { quality: 'q_720p', framerate: 'f_30', videoCodec: 'h264' } as const;

export async function preparedFleet(service: TestService, { call, create, upload }: Actors) {
  const tools = await findMediaTools(process.env);
  const samples = await serveSamples();
  const clip = await mediaSample('plain.mp4');
  const logged: { event: string; fields: Record<string, unknown> }[] = [];
  const log = (event: string, fields: Record<string, unknown>) => void logged.push({ event, fields });
  return {
    logged,

    /** Runs until the end of the test at the latest. */
    agent(agentID: string, more: Partial<AgentOptions> & { readonly databaseURL?: string } = {}): FleetAgent {
      const pool = createPool({
        connectionString: more.databaseURL ?? service.databaseURL(),
        max: 6,
        connectionTimeoutMillis: 5000,
        query_timeout: 10_000,
      });
      const objects = Object.assign(Object.create(service.objects()), { presignGet: async () => samples.urlOf(clip) });
      const { settings, ...rest } = starting;
      const stopping = new AbortController();
      const running = runAgent(
        {
          agentID,
          pool,
          tools,
          log,
          settings,
          objects,
          encoder,
          slots: 100,
          supervisor: agentID,
          release: 'test',
          zone: null,
          peering: onLoopback,
          backends: ['manifest'],
          queue: createPostgresCommandQueue({ pool, log }),
          sealer: createSealer([testDataKey]),
          handleMedia: createMediaWorker({
            pool,
            objects,
            tools,
            encoderOf: async () => encoder,
            random: () => 0.5,
            log,
          }),
          starting: rest,
          steadyClock: () => performance.now(),
          ...more,
        },
        stopping.signal,
      );
      const ended = running.then(
        () => null,
        (error: unknown) => error,
      );
      const stop = async () => {
        stopping.abort();
        await ended;
      };
      onTestFinished(async () => {
        await stop();
        await pool.end();
      });
      return { stop, ended };
    },

    /** A started stream with a loop of two seconds. @returns its id */
    async stream(
      urls: { rtmpURL: string; backupRtmpURL?: string },
      streamKey: string,
      more: object = {},
    ): Promise<string> {
      const destinationID = await create('/destinations', { name: 'ingest', streamKey, ...urls });
      const id = await create('/streams', {
        destinationID,
        streamBackend: 'manifest',
        ...format,
        videoUploadObjectID: await upload({ durationSeconds: 2 }),
        ...more,
      });
      await call('POST', `/streams/${id}/start`);
      return id;
    },

    close: () => samples[Symbol.asyncDispose](),
  };
}

/** A fleet for all tests of a file, and an ingest for each. */
export function testFleet(service: TestService, actors: Actors) {
  let fleet: Awaited<ReturnType<typeof preparedFleet>>;
  let ingest: FaultyIngest;
  beforeAll(async () => {
    fleet = await preparedFleet(service, actors);
  });
  afterAll(() => fleet.close());
  beforeEach(async () => {
    ingest = await startFaultyIngest();
    onTestFinished(() => ingest[Symbol.asyncDispose]());
  });
  const publications = (key: string): readonly Publication[] => ingest.keys.get(`live/${key}`)?.publications ?? [];
  /** With a second of pictures at the ingest. */
  async function untilLive(keys: readonly string[]): Promise<void> {
    await expect
      .poll(() => keys.filter((key) => (publications(key)[0]?.pictures ?? 0) > 30), { timeout: 30_000 })
      .toEqual(keys);
  }

  /** Streams with these keys, live. @returns their ids */
  async function liveStreams(keys: readonly string[]): Promise<string[]> {
    const ids: string[] = [];
    for (const key of keys) ids.push(await fleet.stream({ rtmpURL: ingest.rtmpURL }, key));
    await untilLive(keys);
    return ids;
  }

  async function untilState(ids: readonly string[], state: string): Promise<void> {
    const states = async () => (await Promise.all(ids.map(actors.stream))).map((stream) => stream.state);
    await expect.poll(states, { timeout: 20_000 }).toEqual(ids.map(() => state));
  }
  return { fleet: () => fleet, ingest: () => ingest, publications, untilLive, liveStreams, untilState };
}

/** key0, key1 and so on. */
export function keysOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `key${index}`);
}

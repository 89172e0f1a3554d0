// Agents in this process, with prepared streams on a faulty ingest: cheap enough for dozens of streams.
import { afterAll, beforeAll, beforeEach, expect, onTestFinished } from 'vitest';
import type { Log } from '../../lambda/log.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import type { Actors } from './actors.ts';
import { startFaultyIngest } from './faulty-ingest.ts';
import type { FaultyIngest, Publication } from './faulty-ingest.ts';
import { mediaSample, serveSamples } from './media-samples.ts';
import type { TestService } from './service.ts';
import { startTestAgent } from './test-agent.ts';
import type { TestAgent, TestAgentOptions } from './test-agent.ts';

const format = { quality: 'q_720p', framerate: 'f_30', videoCodec: 'h264' } as const;

type PreparedFleet = Awaited<ReturnType<typeof preparedFleet>>;

async function preparedFleet(service: TestService, { call, create, data, upload }: Actors) {
  const tools = await findMediaTools(process.env);
  const samples = await serveSamples();
  const clip = await mediaSample('plain.mp4');
  const logged: { event: string; fields: Record<string, unknown> }[] = [];
  const log: Log = (event, fields) => void logged.push({ event, fields });
  return {
    /** All log lines of the fleet's agents. */
    logged,

    /** Runs an agent until the end of the test at the latest. */
    agent(agentID: string, more: Partial<TestAgentOptions> = {}): TestAgent {
      return startTestAgent(service, { agentID, tools, log, mediaURL: () => samples.urlOf(clip), ...more });
    },

    /** Resolves once this many other agents listen to their peers. */
    async untilPeers(agentID: string, count = 1): Promise<void> {
      await expect.poll(async () => (await data().agents.peerURLs(agentID)).live.length).toBe(count);
    },

    /**
     * Makes a stream with a loop of two seconds, and starts it.
     * @returns the id of the stream
     */
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

/** A fleet for all tests of the calling file. It exists only within tests and hooks. */
export function fleetOfFile(service: TestService, actors: Actors): () => PreparedFleet {
  let fleet: PreparedFleet;
  beforeAll(async () => {
    fleet = await preparedFleet(service, actors);
  });
  afterAll(() => fleet.close());
  return () => fleet;
}

/** A fleet for all tests of a file, and an ingest for each test. */
export function testFleet(service: TestService, actors: Actors) {
  const fleet = fleetOfFile(service, actors);
  let ingest: FaultyIngest;
  beforeEach(async () => {
    ingest = await startFaultyIngest();
    onTestFinished(() => ingest[Symbol.asyncDispose]());
  });
  const publications = (key: string): readonly Publication[] => ingest.keys.get(`live/${key}`)?.publications ?? [];

  /** Resolves once the ingest has a second of pictures of every key. */
  async function untilLive(keys: readonly string[]): Promise<void> {
    await expect.poll(() => keys.filter((key) => (publications(key)[0]?.pictures ?? 0) > 30)).toEqual(keys);
  }

  /**
   * Starts a stream for each key, and waits until all are live.
   * @returns the ids of the streams
   */
  async function liveStreams(keys: readonly string[]): Promise<string[]> {
    const ids: string[] = [];
    for (const key of keys) ids.push(await fleet().stream({ rtmpURL: ingest.rtmpURL }, key));
    await untilLive(keys);
    return ids;
  }

  /** Resolves once all streams are in a state. */
  async function untilState(ids: readonly string[], state: string): Promise<void> {
    const states = async () => (await Promise.all(ids.map(actors.stream))).map((stream) => stream.state);
    await expect.poll(states).toEqual(ids.map(() => state));
  }

  return { fleet, ingest: () => ingest, publications, untilLive, liveStreams, untilState };
}

/** The stream keys key0, key1 and so on. */
export function keysOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `key${index}`);
}

// An agent in the process of a test, on the database and the object store of the test's service.
import { onTestFinished } from 'vitest';
import { createPool, limitWaits } from '../../lambda/data/shared/queryable.ts';
import { streamBackends } from '../../lambda/domain/streams/stream-words.ts';
import { createPostgresCommandQueue } from '../../lambda/ports/command-queue/postgres-command-queue.ts';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import { runAgent } from '../../lambda/publisher/agent/agent.ts';
import type { AgentOptions } from '../../lambda/publisher/agent/agent-options.ts';
import { createMediaWorker } from '../../lambda/publisher/media-worker.ts';
import type { MediaWorkerOptions } from '../../lambda/publisher/media-worker.ts';
import { onLoopback, startOptions } from './actors.ts';
import { capacityFor } from './capacities.ts';
import { fastEncoder } from './media-samples.ts';
import { testDataKey } from './service.ts';
import type { TestService } from './service.ts';

export interface TestAgent {
  /** Asks the agent to end, as SIGTERM does. Resolves when it has ended. */
  stop(): Promise<void>;
  /** Resolves with the error that ended the agent, or with null. */
  readonly ended: Promise<unknown>;
}

interface Needed {
  readonly agentID: string;
  readonly tools: AgentOptions['tools'];
  readonly log: AgentOptions['log'];
  /** URL of the media of an upload, by its object key. */
  readonly mediaURL: (objectKey: string) => string;
  /** URL of the database. Default: the service's. */
  readonly databaseURL?: string;
  /** Tools and encoder for preparing uploads. Default: those for publishing. */
  readonly preparing?: Pick<MediaWorkerOptions, 'tools' | 'encoderOf'>;
}

export type TestAgentOptions = Needed & Partial<AgentOptions>;

/**
 * Runs an agent until the end of the test at the latest. By default it serves both backends (so it also prepares), with
 * room for 100 streams.
 */
export function startTestAgent(service: TestService, options: TestAgentOptions): TestAgent {
  const { mediaURL, databaseURL = service.databaseURL(), preparing, ...given } = options;
  const { agentID, tools, log } = given;
  const pool = createPool({ connectionString: databaseURL, max: 6 });
  limitWaits(pool);
  const objects = Object.assign(Object.create(service.objects()), {
    presignGet: async (key: string) => mediaURL(key),
  });
  const { settings, ...rest } = startOptions;
  const prepareWith = preparing ?? { tools, encoderOf: async () => fastEncoder };
  const stopping = new AbortController();
  const running = runAgent(
    {
      pool,
      settings,
      objects,
      encoder: fastEncoder,
      capacity: capacityFor(100),
      supervisor: agentID,
      release: 'test',
      zone: null,
      peering: onLoopback,
      backends: streamBackends,
      queue: createPostgresCommandQueue({ pool, log }),
      sealer: createSealer([testDataKey]),
      handleMedia: createMediaWorker({ pool, objects, ...prepareWith, random: () => 0.5, limitFactor: 100, log }),
      startOptions: rest,
      steadyClock: () => performance.now(),
      ...given,
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
}

// The test of each minute: starts a stream by the public API, and logs the result.
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Log } from '../log.ts';
import { createPlatformClient } from './platform-client.ts';
import { proveStart, StartNotProved } from './prove-start.ts';
import { openSyntheticAccount } from './synthetic-account.ts';
import type { SyntheticIngest } from './synthetic-ingest.ts';

/** The time limits let the next test detect a fault within two minutes. */
export const proofTimes = { everyMs: 60_000, withinMs: 40_000, answerMs: 8000 } as const;

export interface WatchOptions {
  readonly pool: Pool;
  /** The base URL of the API, with its version. */
  readonly apiURL: string;
  readonly ingest: SyntheticIngest;
  /** Aborts at the time limit of the test. */
  readonly deadline: AbortSignal;
  /** The time limit of an answer of the API. */
  readonly answerMs: number;
  /** The interval of polling. */
  readonly pollMs: number;
  readonly steadyClock: () => number;
  readonly log: Log;
}

/** @returns null if the start succeeded, else the failure */
export async function watchStart(options: WatchOptions): Promise<StartNotProved | null> {
  const { pool, apiURL, deadline, answerMs, log } = options;
  const proved = new AbortController();
  const prove = async (): Promise<number> => {
    const apiKey = await openSyntheticAccount(pool);
    const client = createPlatformClient({ apiURL, apiKey, timeoutMs: answerMs });
    return proveStart({ ...options, client });
  };
  // The database and the ingest have no time limits of their own.
  const over = async (): Promise<never> => {
    if (!deadline.aborted) await once(deadline, 'abort', { signal: proved.signal });
    // A request may be in progress, and another one follows that stops the stream.
    await delay(2 * answerMs, undefined, { signal: proved.signal });
    throw new Error('it is not over in time');
  };
  try {
    log('synthetic_start_proved', { seconds: await Promise.race([prove(), over()]) });
    return null;
  } catch (error) {
    const failure = error instanceof StartNotProved ? error : new StartNotProved('account', null, error);
    log('synthetic_start_failed', { step: failure.step, error: failure });
    return failure;
  } finally {
    proved.abort();
  }
}

// What is done each minute: a start is proved over the public API, and a line of the log says whether it was.
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Log } from '../log.ts';
import { createPlatformClient } from './platform-client.ts';
import { proveStart, StartNotProved } from './prove-start.ts';
import { openSyntheticAccount } from './synthetic-account.ts';
import type { SyntheticIngest } from './synthetic-ingest.ts';

/** A fault is seen by the next proof, which has not gone on for ever: within two minutes. */
export const proofTimes = { everyMs: 60_000, withinMs: 40_000, answerMs: 8000 } as const;

export interface WatchOptions {
  readonly pool: Pool;
  /** Ends with the version of the API. */
  readonly apiURL: string;
  readonly ingest: SyntheticIngest;
  /** Aborts when the proof should be over. */
  readonly deadline: AbortSignal;
  /** How long an answer of the API may take. */
  readonly answerMs: number;
  /** How long a proof waits before it looks again. */
  readonly pollMs: number;
  readonly steadyClock: () => number;
  readonly log: Log;
}

/** @returns null where a start is proved, else what failed */
export async function watchStart(options: WatchOptions): Promise<StartNotProved | null> {
  const { pool, apiURL, deadline, answerMs, log } = options;
  const proved = new AbortController();
  const prove = async (): Promise<number> => {
    const apiKey = await openSyntheticAccount(pool);
    const client = createPlatformClient({ apiURL, apiKey, timeoutMs: answerMs });
    return proveStart({ ...options, client });
  };
  // Of the database and of the ingest nothing else says how long they may take.
  const over = async (): Promise<never> => {
    if (!deadline.aborted) await once(deadline, 'abort', { signal: proved.signal });
    // A request may be under way, and one follows that ends the stream.
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

// Tests that a stream can start: starts one by the public API, waits for its pictures at its ingest, and stops it.
import { setTimeout as delay } from 'node:timers/promises';
import type { PlatformClient } from './platform-client.ts';
import type { OpenIngest, SyntheticIngest } from './synthetic-ingest.ts';
import { findStream, makeStream } from './synthetic-stream.ts';
import type { Until } from './synthetic-stream.ts';

export interface ProofOptions {
  readonly client: PlatformClient;
  readonly ingest: SyntheticIngest;
  /** Aborts at the time limit of the test. */
  readonly deadline: AbortSignal;
  /** The interval of polling. */
  readonly pollMs: number;
  readonly steadyClock: () => number;
}

/** The steps in order. `end` also comes before `start`, if a failed test has left the stream live. */
export type Step = 'account' | 'ingest' | 'prepare' | 'end' | 'start' | 'pictures';

/** The stream could not be started, or the test did not end in time. */
export class StartNotProved extends Error {
  readonly step: Step;

  /** @param state the last known state of the stream; null if none is known */
  constructor(step: Step, state: string | null, cause: unknown) {
    super(`no start of a stream is proved: ${step}, the stream ${state ?? 'was not seen'}`, { cause });
    this.name = 'StartNotProved';
    this.step = step;
  }
}

const atRest: ReadonlySet<string> = new Set(['draft', 'invalid', 'stopped', 'failed']);

/**
 * Creates the objects that it needs the first time, and finds them later.
 * @returns seconds from the start to the first pictures
 * @throws {StartNotProved}
 */
export async function proveStart(options: ProofOptions): Promise<number> {
  const { client, ingest, deadline, pollMs, steadyClock } = options;
  const until: Until = async (isDone) => {
    while (!(await isDone())) await delay(pollMs, undefined, { signal: deadline });
  };
  let step: Step = 'ingest';
  let state: string | null = null;
  let started: string | null = null;
  const look = async (id: string): Promise<string> => {
    ({ state } = await client.ask('GET', `/streams/${id}`));
    return state!;
  };
  const stop = (id: string) => client.ask('POST', `/streams/${id}/stop`);
  const isAtRest = async (id: string) => atRest.has(await look(id));
  const start = async (id: string, open: OpenIngest): Promise<number> => {
    const startedAt = steadyClock();
    started = id;
    await client.ask('POST', `/streams/${id}/start`);
    step = 'pictures';
    await until(async () => {
      if (await open.hasPictures()) return true;
      if (await isAtRest(id)) throw new Error('it has ended by itself');
      return false;
    });
    return (steadyClock() - startedAt) / 1000;
  };
  try {
    await using open = await ingest.open();
    step = 'prepare';
    const { id, destinationID } = (await findStream(client)) ?? (await makeStream(client, open, until));
    step = 'end';
    // The first start waits for the preparation of the clip, which may take longer than a test.
    if (!(await isAtRest(id)) && state !== 'preparing') {
      await stop(id);
      await until(() => isAtRest(id));
    }
    step = 'start';
    await client.ask('PATCH', `/destinations/${destinationID}`, open.destination);
    const seconds = await start(id, open);
    step = 'end';
    await stop(id);
    await until(() => isAtRest(id));
    return seconds;
  } catch (error) {
    // If this fails, the next test stops the stream.
    if (started !== null) await stop(started).catch(() => {});
    throw new StartNotProved(step, state, error);
  }
}

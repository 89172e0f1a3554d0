// The synthetic stream of the local run, started every minute against its own ingest, which keeps nothing.
import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import type { Log } from '../../lambda/log.ts';
import type { SyntheticIngest } from '../../lambda/synthetic/synthetic-ingest.ts';
import { proofTimes, watchStart } from '../../lambda/synthetic/watch-start.ts';
import { startRtmpSink } from './rtmp-sink/rtmp-sink.ts';

export interface SyntheticOptions {
  readonly pool: Pool;
  readonly apiURL: string;
  readonly log: Log;
  /** Receives a line for people when starts begin to fail, and when they succeed again. */
  readonly onLine: (text: string) => void;
}

/** More pictures than a connection begins with. */
const fewPictures = 12;

/** An RTMP server for each start, on its own port. */
export const localSyntheticIngest: SyntheticIngest = {
  async open() {
    const sink = await startRtmpSink({ port: 0 });
    return {
      destination: { url: `rtmp://127.0.0.1:${sink.port}/live`, streamKey: randomUUID() },
      hasPictures: async () => sink.channels().some(({ videoFrames }) => videoFrames >= fewPictures),
      [Symbol.asyncDispose]: () => sink.close(),
    };
  },
};

const pollMs = 250;

/**
 * The disposal stops a running proof, and waits until its stream is stopped: it would be live again in the next run.
 */
export function startSynthetic({ onLine, ...watched }: SyntheticOptions): AsyncDisposable {
  const fixed = { ...watched, ingest: localSyntheticIngest, pollMs, steadyClock: () => performance.now() };
  const ending = new AbortController();
  let failedBefore = false;
  let underWay: Promise<void> | null = null;
  const prove = async (): Promise<void> => {
    const deadline = AbortSignal.any([AbortSignal.timeout(proofTimes.withinMs), ending.signal]);
    const failure = await watchStart({ ...fixed, deadline, answerMs: proofTimes.answerMs });
    if (ending.signal.aborted) return;
    if (failure) onLine(`  ${new Date().toISOString()} ${failure.message}`);
    else if (failedBefore) onLine(`  ${new Date().toISOString()} starts work again`);
    failedBefore = failure !== null;
  };
  const begin = () => {
    underWay ??= prove().finally(() => (underWay = null));
  };
  begin();
  const timer = setInterval(begin, proofTimes.everyMs);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      ending.abort();
      await underWay;
    },
  };
}

// Writes what was last observed of a replica, again and again until it is written.
import { setTimeout } from 'node:timers/promises';
import type { Claim, FailedAttempt, ReplicaState } from '../../data/fleet/replicas.ts';
import type { StateReason } from '../../domain/streams/stream-words.ts';
import type { Log } from '../../log.ts';

export interface Report {
  readonly claim: Claim;
  readonly state: ReplicaState;
  readonly reason: StateReason | null;
  /** Nothing that is retried can help any more. */
  readonly hopeless: boolean;
  /** Of what is failing. */
  readonly attempt?: FailedAttempt;
  /** When it was observed, by the steady clock: it may take a while until the report can be written. */
  readonly observedAtMs: number;
}

export interface LatestReportOptions {
  readonly streamID: string;
  /** Writes a report; answers false when the replica is no longer this agent's. */
  readonly write: (report: Report) => Promise<boolean>;
  readonly onClaimLost: () => void;
  readonly log: Log;
}

const retryAfterMs = 1000;

/** A database that is away for a while must not leave a stream in a state that is not so. */
export class LatestReport {
  readonly #options: LatestReportOptions;
  #unwritten: Report | null = null;
  #writing: Promise<void> = Promise.resolve();
  #isGivenUp = false;

  constructor(options: LatestReportOptions) {
    this.#options = options;
  }

  /** A report that could not be written yet is replaced: only the newest observation counts. */
  say(report: Report): void {
    const isIdle = this.#unwritten === null;
    this.#unwritten = report;
    if (isIdle) this.#writing = this.#writeUntilSaid();
  }

  /** What has not been written by now never will be. */
  giveUp(): void {
    this.#isGivenUp = true;
  }

  /** Resolves when everything is written, or given up. */
  written(): Promise<void> {
    return this.#writing;
  }

  async #writeUntilSaid(): Promise<void> {
    const { streamID, write, onClaimLost, log } = this.#options;
    while (this.#unwritten && !this.#isGivenUp) {
      const current = this.#unwritten;
      try {
        const claimHolds = await write(current);
        if (this.#unwritten === current || !claimHolds) this.#unwritten = null;
        if (!claimHolds) onClaimLost();
      } catch (error) {
        log('report_failed', { streamID, state: current.state, error: String(error) });
        await setTimeout(retryAfterMs);
      }
    }
  }
}

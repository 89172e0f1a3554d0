// Writes the latest report of a replica, and retries until it is written.
import { setTimeout } from 'node:timers/promises';
import type { ClaimReport } from '../../data/fleet/replicas.ts';
import type { Log } from '../../log.ts';

export interface Report extends ClaimReport {
  /** Whether no retry can help. */
  readonly hopeless: boolean;
  /** Whether the destination takes pictures although the replica is failing; absent: it does not. */
  readonly takesMedia?: boolean;
  /** The time of the observation, by the steady clock. The report may be written much later. */
  readonly observedAtMs: number;
}

export interface LatestReportOptions {
  readonly streamID: string;
  /** Writes a report. @returns false when the replica is no longer this agent's */
  readonly write: (report: Report) => Promise<boolean>;
  readonly onClaimLost: () => void;
  readonly log: Log;
}

const retryAfterMs = 1000;

/** Keeps the state in the database true even if it did not answer for a while. */
export class LatestReport {
  readonly #options: LatestReportOptions;
  #unwritten: Report | null = null;
  #writing: Promise<void> = Promise.resolve();
  #isGivenUp = false;

  constructor(options: LatestReportOptions) {
    this.#options = options;
  }

  /** Writes a report, in place of an earlier one that is not written yet: only the newest observation counts. */
  write(report: Report): void {
    const isIdle = this.#unwritten === null;
    this.#unwritten = report;
    if (isIdle) this.#writing = this.#writeWithRetries();
  }

  /** Drops a report that is not written yet. */
  giveUp(): void {
    this.#isGivenUp = true;
  }

  /** Resolves when everything is written, or given up. */
  written(): Promise<void> {
    return this.#writing;
  }

  async #writeWithRetries(): Promise<void> {
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

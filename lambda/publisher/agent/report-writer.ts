// Writes the reports of an agent: reports that arrive during a write go together in the next transaction.
// No report waits for one of another user: a write takes a tenth of a second on a busy machine.
import { setTimeout } from 'node:timers/promises';
import type { Pool } from 'pg';
import { inTransaction } from '../../data/database.ts';
import type { Database } from '../../data/database.ts';
import { reportReplica, reportReplicas } from '../../orchestration/fleet/replica-reports.ts';
import type { ReplicaReport } from '../../orchestration/fleet/replica-reports.ts';

/** Most reports in one transaction, as their streams are locked until the last of them is written. */
const maxTogether = 100;
/** Fewest users whose reports go to more than one transaction: each transaction has a cost of its own. */
const worthSplitting = 25;
/** Wait of a writer that gets no place: the first and the longest. Reports that arrive meanwhile go together. */
const waits = { firstMs: 25, mostMs: 400 } as const;

/** A report that waits. Its time is the database's, read once for all reports of a transaction. */
export interface UnwrittenReport {
  readonly streamID: string;
  /** The owner of the stream. */
  readonly userID: string;
  readonly asOf: (databaseNow: Date) => ReplicaReport;
}

interface Waiting extends UnwrittenReport {
  readonly answer: PromiseWithResolvers<boolean>;
}

export interface ReportWriterOptions {
  /** Whether writes wait for a place (`data/shared/places.ts`), as hundreds of agents report at once after a loss. */
  readonly needsPlace: boolean;
  /** Most transactions at the same time, each for other users. */
  readonly mostAtOnce: number;
}

export class ReportWriter {
  readonly #pool: Pool;
  readonly #options: ReportWriterOptions;
  #waiting: Waiting[] = [];
  /** The users of each transaction under way. */
  readonly #writing = new Set<ReadonlySet<string>>();
  #writers = 0;

  constructor(pool: Pool, options: ReportWriterOptions) {
    this.#pool = pool;
    this.#options = options;
  }

  /**
   * Writes a report at once, or together with others as soon as earlier ones of its user are written.
   * @returns the answer of `reportReplica`: whether the agent still holds the replica
   */
  write(report: UnwrittenReport): Promise<boolean> {
    const answer = Promise.withResolvers<boolean>();
    this.#waiting.push({ ...report, answer });
    if (this.#writers < this.#options.mostAtOnce) void this.#writeAll();
    return answer.promise;
  }

  async #writeAll(): Promise<void> {
    this.#writers += 1;
    // Reports of the same moment, as of replicas that were claimed together, share a transaction.
    await Promise.resolve();
    let waitMs: number = waits.firstMs;
    for (let together = this.#takeTogether(); together.length > 0; together = this.#takeTogether()) {
      const users = new Set(together.map(({ userID }) => userID));
      this.#writing.add(users);
      const left = await this.#writeTogether(together);
      if (left === 'no place') {
        this.#waiting.unshift(...together);
        await setTimeout(waitMs);
        waitMs = Math.min(2 * waitMs, waits.mostMs);
      } else {
        waitMs = waits.firstMs;
        // The remaining reports are written one by one, so that a locked stream delays no other.
        for (const each of left) void this.#writeAlone(each);
      }
      this.#writing.delete(users);
    }
    this.#writers -= 1;
  }

  /**
   * Takes waiting reports of users without a write under way, so many users that each writer gets its part. At most one
   * report of each stream: those of its two replicas are written one after the other.
   */
  #takeTogether(): Waiting[] {
    const isFree = ({ userID }: Waiting) => !this.#writing.values().some((users) => users.has(userID));
    const users = [...new Set(this.#waiting.filter(isFree).map(({ userID }) => userID))];
    const taking = new Set(
      users.slice(0, Math.max(worthSplitting, Math.ceil(users.length / this.#options.mostAtOnce))),
    );
    const together = new Map<string, Waiting>();
    const later: Waiting[] = [];
    for (const each of this.#waiting) {
      const isTaken = taking.has(each.userID) && together.size < maxTogether && !together.has(each.streamID);
      if (isTaken) together.set(each.streamID, each);
      else later.push(each);
    }
    this.#waiting = later;
    return [...together.values()];
  }

  /** @returns the reports that were not written, because their streams are locked or one of the reports failed */
  async #writeTogether(together: readonly Waiting[]): Promise<readonly Waiting[] | 'no place'> {
    try {
      const answers = await inTransaction(this.#pool, async (data: Database) => {
        const now = await (this.#options.needsPlace ? data.places.take('takeover') : data.now());
        if (now === null) return null;
        const reports = new Map(together.map((each) => [each.asOf(now), each]));
        const written = await reportReplicas(data, [...reports.keys()]);
        return Array.from(reports, ([report, each]) => ({ each, answer: written.get(report) }));
      });
      if (answers === null) return 'no place';
      for (const { each, answer } of answers) if (answer !== undefined) each.answer.resolve(answer);
      return answers.filter(({ answer }) => answer === undefined).map(({ each }) => each);
    } catch (error) {
      if (together.length > 1) return together;
      together[0]!.answer.reject(error);
      return [];
    }
  }

  async #writeAlone({ asOf, answer }: Waiting): Promise<void> {
    try {
      const holds = await inTransaction(this.#pool, async (data) => reportReplica(data, asOf(await data.now())));
      answer.resolve(holds);
    } catch (error) {
      answer.reject(error);
    }
  }
}

// Writes the reports of an agent: those that come while others are being written go together in one transaction.
// A report waits for none of another user: to write one takes a tenth of a second where the machine is busy.
import { setTimeout } from 'node:timers/promises';
import type { Pool } from 'pg';
import { inTransaction } from '../../data/database.ts';
import type { Database } from '../../data/database.ts';
import { reportReplica, reportReplicas } from '../../orchestration/fleet/replica-reports.ts';
import type { ReplicaReport } from '../../orchestration/fleet/replica-reports.ts';

/** So many reports go in one transaction at most: their streams are locked until the last of them is written. */
const maxTogether = 100;
/** How long a writer without a place waits, the first time and at most. Meanwhile more reports come, to go together. */
const waits = { firstMs: 25, mostMs: 400 } as const;

/** A report as of the database's time, which is asked for once for all that are written together. */
export interface UnwrittenReport {
  readonly streamID: string;
  /** Whose stream it is. */
  readonly userID: string;
  readonly asOf: (databaseNow: Date) => ReplicaReport;
}

interface Waiting extends UnwrittenReport {
  readonly answer: PromiseWithResolvers<boolean>;
}

export interface ReportWriterOptions {
  /** Whether writes wait for a place (`data/shared/places.ts`): after a loss hundreds of agents report at once. */
  readonly needsPlace: boolean;
  /** So many transactions write at the same time at most, each for other users. */
  readonly mostAtOnce: number;
}

export class ReportWriter {
  readonly #pool: Pool;
  readonly #options: ReportWriterOptions;
  #waiting: Waiting[] = [];
  /** The users of each transaction that is under way. */
  readonly #writing = new Set<ReadonlySet<string>>();
  #writers = 0;

  constructor(pool: Pool, options: ReportWriterOptions) {
    this.#pool = pool;
    this.#options = options;
  }

  /**
   * Writes a report at once, or together with others as soon as those before it of its user are written.
   * @returns what `reportReplica` answers
   */
  write(report: UnwrittenReport): Promise<boolean> {
    const answer = Promise.withResolvers<boolean>();
    this.#waiting.push({ ...report, answer });
    if (this.#writers < this.#options.mostAtOnce) void this.#writeAll();
    return answer.promise;
  }

  async #writeAll(): Promise<void> {
    this.#writers += 1;
    // What is said in the same moment, as of replicas that were claimed together, goes together.
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
        // What could not be written with the others waits for its stream by itself, and holds up none of them.
        for (const each of left) void this.#writeAlone(each);
      }
      this.#writing.delete(users);
    }
    this.#writers -= 1;
  }

  /**
   * Reports of users for whom none is being written: of one user where few wait, else of as many as it takes until each
   * writer has its part. Of each stream at most one: what its two replicas report is written one after the other.
   */
  #takeTogether(): Waiting[] {
    const isFree = ({ userID }: Waiting) => !this.#writing.values().some((users) => users.has(userID));
    const users = [...new Set(this.#waiting.filter(isFree).map(({ userID }) => userID))];
    const taking = new Set(users.slice(0, Math.ceil(users.length / this.#options.mostAtOnce)));
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

  /** @returns those that were not written, as somebody else has locked their streams, or one of them failed */
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

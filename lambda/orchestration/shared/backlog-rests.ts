// The rests of users with a backlog: due times of others are fired while such a user rests.
// Without rests, one user's backlog would keep the database busy for all others.
import { backlogRestMs, othersWithinMs } from '../../domain/fleet/backlog-rest.ts';
import type { RestPolicy } from '../../domain/fleet/backlog-rest.ts';

/** The rest after a round that fired the most due times of a user. Each process that fires rests by itself. */
const restPolicy: RestPolicy = { timesAsLong: 7, mostMs: 2000 };

export class BacklogRests {
  /** The ends of the rests by user, on the monotonic clock of the caller. */
  readonly #endsMs = new Map<string, number>();
  /** The last times when other users had work, by user. */
  readonly #othersSeenMs = new Map<string, number>();

  /**
   * Begins a rest after a round, if other users have work or had some lately.
   * @param tookMs the time that the due times of the user took
   * @param isBesideOthers whether other users have work now
   */
  begin(userID: string, tookMs: number, isBesideOthers: boolean, nowMs: number): void {
    if (isBesideOthers) this.#othersSeenMs.set(userID, nowMs);
    const seenMs = this.#othersSeenMs.get(userID) ?? -Infinity;
    if (nowMs - seenMs < othersWithinMs) this.#endsMs.set(userID, nowMs + backlogRestMs(tookMs, restPolicy));
  }

  /** The users who rest. */
  at(nowMs: number): string[] {
    for (const [userID, endsMs] of this.#endsMs) if (endsMs <= nowMs) this.#endsMs.delete(userID);
    return [...this.#endsMs.keys()];
  }

  /** The time until the end of the first rest; null: no user rests. */
  msUntilNextEnd(nowMs: number): number | null {
    const users = this.at(nowMs);
    return users.length === 0 ? null : Math.min(...users.map((userID) => this.#endsMs.get(userID)!)) - nowMs;
  }
}

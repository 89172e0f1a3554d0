// The rests of users who have a backlog: it takes a part of the time, and what others have is fired meanwhile.
// Whoever fires one thing after the other keeps the database busy, which others need.
import { backlogRestMs, othersWithinMs } from '../../domain/fleet/backlog-rest.ts';
import type { RestPolicy } from '../../domain/fleet/backlog-rest.ts';

/** After a round that fired all that it may of a user. Each process that fires rests for itself, and two or more do. */
const restPolicy: RestPolicy = { timesAsLong: 7, mostMs: 2000 };

export class BacklogRests {
  /** When the rest of each user ends, on the steady clock of the caller. */
  readonly #endsMs = new Map<string, number>();
  /** When it was seen last that others than each user ask for something. */
  readonly #othersSeenMs = new Map<string, number>();

  /**
   * Begins a rest after a round, if others ask for something, or have done so lately.
   * @param tookMs how long it took to fire what was due of the user @param isBesideOthers whether they do now
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

  /** How long it is until the first of them has rested; null if nobody rests. */
  msUntilNextEnd(nowMs: number): number | null {
    const users = this.at(nowMs);
    return users.length === 0 ? null : Math.min(...users.map((userID) => this.#endsMs.get(userID)!)) - nowMs;
  }
}

// The rests of users who have a backlog: it takes a part of the time, and what others have is fired meanwhile.
// Whoever fires one thing after the other keeps the database busy, which others need.
import { backlogRestMs } from '../domain/backlog-rest.ts';
import type { RestPolicy } from '../domain/backlog-rest.ts';

/** After a round that fired all that it may of a user. Each process that fires rests for itself, and two or more do. */
const restPolicy: RestPolicy = { timesAsLong: 7, mostMs: 2000 };

export class BacklogRests {
  /** When the rest of each user ends, on the steady clock of the caller. */
  readonly #endsMs = new Map<string, number>();

  /** Begins a rest. @param tookMs how long it took to fire what was due of the user */
  begin(userID: string, tookMs: number, nowMs: number): void {
    this.#endsMs.set(userID, nowMs + backlogRestMs(tookMs, restPolicy));
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

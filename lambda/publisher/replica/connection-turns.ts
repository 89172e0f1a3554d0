// Limits the connections that are being made at once for each user and to each host, fairly between users.
import type { WayName } from '../../domain/destinations/ways/ways.ts';
import { connecting } from '../../domain/shared/outbound-limits.ts';
import { UnacceptedUploads } from './unaccepted-uploads.ts';

export interface Connecting {
  readonly userID: string;
  readonly host: string;
  readonly way: WayName;
  /** Whether the stream has been off the air for minutes. Then others go first. */
  readonly isResting: boolean;
}

interface Waiting {
  readonly who: Connecting;
  readonly begin: () => void;
}

/** Shared by all streams of an agent. */
export class ConnectionTurns {
  readonly #underWay = new Set<Connecting>();
  /** In order of arrival. */
  readonly #waiting = new Set<Waiting>();
  readonly #unaccepted = new UnacceptedUploads();

  /** A connection of the user over HLS ended that accepted nothing: further ones may have to wait. */
  leftUnaccepted(userID: string): void {
    this.#unaccepted.record(userID);
  }

  /**
   * Takes a turn; waits for it while the user or the host is at the limit.
   * @returns the end of the turn, to be called once the connection is made or has failed
   * @throws the signal's reason when aborted
   */
  async take(who: Connecting, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (who.way === 'hls') await this.#unaccepted.mayConnect(who.userID, signal);
    if (this.#mayBegin(who)) return this.#begin(who);
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const waiting: Waiting = { who, begin: () => resolve(this.#begin(who)) };
    const leave = () => {
      this.#waiting.delete(waiting);
      reject(signal.reason);
    };
    this.#waiting.add(waiting);
    signal.addEventListener('abort', leave, { once: true });
    return promise.finally(() => signal.removeEventListener('abort', leave));
  }

  #begin(who: Connecting): () => void {
    // A new object for each turn, as the same stream may have two: one at each URL of its destination.
    const turn = { ...who };
    this.#underWay.add(turn);
    return () => {
      if (this.#underWay.delete(turn)) this.#beginWaiting();
    };
  }

  #beginWaiting(): void {
    for (;;) {
      const free = [...this.#waiting].filter(({ who }) => this.#mayBegin(who));
      const [next] = free.sort((a, b) => this.#rank(a.who) - this.#rank(b.who));
      if (!next) return;
      this.#waiting.delete(next);
      next.begin();
    }
  }

  #mayBegin({ userID, host, isResting }: Connecting): boolean {
    const ofUser = this.#count((each) => each.userID === userID);
    const restingOfUser = this.#count((each) => each.userID === userID && each.isResting);
    const toHost = this.#count((each) => each.host === host);
    return (
      ofUser < connecting.mostOfUser &&
      toHost < connecting.mostToHost &&
      !(isResting && restingOfUser >= connecting.mostRestingOfUser)
    );
  }

  /** Streams of the user with the fewest turns go first, and resting streams last. */
  #rank({ userID, isResting }: Connecting): number {
    return this.#count((each) => each.userID === userID) + (isResting ? connecting.mostOfUser : 0);
  }

  #count(counts: (each: Connecting) => boolean): number {
    let count = 0;
    for (const each of this.#underWay) if (counts(each)) count++;
    return count;
  }
}

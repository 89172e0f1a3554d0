// Lanes of one process: the pieces of work under way, and their owners.
import { isAskedJustNow, leftOut, restMs } from '../../domain/fleet/lanes.ts';
import type { Lanes, LeftOut, WorkOwner } from '../../domain/fleet/lanes.ts';

export class BusyLanes {
  readonly #lanes: Lanes;
  readonly #underWay = new Map<Promise<void>, WorkOwner>();
  /** The last piece of work that its user had just requested. */
  #justAsked: { readonly userID: string | null; readonly beganMs: number } | null = null;
  readonly #resting = new Set<string>();
  readonly #listeners = new Set<() => void>();

  constructor(lanes: Lanes) {
    this.#lanes = lanes;
  }

  /**
   * Begins a piece of work in a lane of its own.
   * @param work never rejects
   * @param waitedMs time since its request
   */
  begin(owner: WorkOwner, work: () => Promise<void>, waitedMs = 0): void {
    const { userID } = owner;
    const beganMs = performance.now();
    if (isAskedJustNow(waitedMs)) this.#justAsked = { userID, beganMs };
    const piece = work().finally(() => {
      this.#underWay.delete(piece);
      if (userID !== null) this.#rest(userID, waitedMs, performance.now() - beganMs);
      this.#notifyListeners();
    });
    this.#underWay.set(piece, owner);
  }

  /** Those who may begin no further work for now: their lanes are full, or they rest. */
  leftOut(): LeftOut {
    const { userIDs, unfunded } = leftOut(this.#underWay.values(), this.#lanes);
    return { userIDs: [...userIDs, ...this.#resting], unfunded };
  }

  #rest(userID: string, waitedMs: number, tookMs: number): void {
    if (!this.#justAsked || this.#justAsked.userID === userID) return;
    const forMs = restMs(waitedMs, tookMs, performance.now() - this.#justAsked.beganMs);
    if (forMs === 0) return;
    this.#resting.add(userID);
    setTimeout(() => {
      this.#resting.delete(userID);
      this.#notifyListeners();
    }, forMs).unref();
  }

  #notifyListeners(): void {
    for (const listener of this.#listeners) listener();
  }

  get isFull(): boolean {
    return this.#underWay.size >= this.#lanes.count;
  }

  /** Calls `listener` whenever a lane becomes free, or a user's rest ends. @returns a function that stops it */
  onFreed(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Resolves when a lane is free, or once the signal aborts. */
  async untilFree(signal: AbortSignal): Promise<void> {
    while (this.isFull && !signal.aborted) await this.untilNextEnds(signal);
  }

  /** Resolves when the next piece of work, or rest of a user, ends, or once the signal aborts. */
  async untilNextEnds(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const stopListening = this.onFreed(resolve);
    const onAbort = () => resolve();
    signal.addEventListener('abort', onAbort, { once: true });
    await promise;
    stopListening();
    signal.removeEventListener('abort', onAbort);
  }

  /** Resolves when no work is under way. */
  async untilIdle(): Promise<void> {
    await Promise.all(this.#underWay.keys());
  }
}

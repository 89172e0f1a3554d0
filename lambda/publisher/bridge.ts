// Carries a stream over the destination's other URL while the connection to its own is replaced.
import { runSession } from './publish-session.ts';
import type { SessionOptions } from './publish-session.ts';

export interface BridgeOptions {
  /** What to send and where to; null when there is nowhere. */
  readonly open: () => Promise<Omit<SessionOptions, 'onEvidence' | 'isOver' | 'onEnding' | 'onSlow'> | null>;
  /** Why there is none. Nobody else hears of it. */
  readonly onFailure: (error: unknown) => void;
}

/** A destination that has not taken a picture by then has something in its way: the connection is replaced without a bridge. */
const standsWithinMs = 10_000;
/** A platform has to notice first that the stream's own connection is back. */
const outlastsByMs = 2000;

export class Bridge {
  readonly #ending = new AbortController();
  readonly #ended: Promise<void>;
  #isSettled = false;
  #timer: NodeJS.Timeout;

  /** @param signal ends it as `end` does */
  constructor({ open, onFailure }: BridgeOptions, signal: AbortSignal) {
    const ending = AbortSignal.any([signal, this.#ending.signal]);
    this.#timer = setTimeout(() => this.#ending.abort(), standsWithinMs);
    const onEvidence = () => {
      this.#isSettled = true;
      clearTimeout(this.#timer);
    };
    // A database that does not answer holds up no end.
    const abandoned = new Promise<null>((resolve) =>
      ending.addEventListener('abort', () => resolve(null), { once: true }),
    );
    this.#ended = Promise.race([open(), abandoned])
      .then(
        (options) =>
          options &&
          runSession({ ...options, onEvidence, isOver: () => false, onEnding: () => {}, onSlow: () => {} }, ending),
      )
      .catch(onFailure)
      .then(() => {
        this.#isSettled = true;
        clearTimeout(this.#timer);
      });
  }

  /** Whether it stands, or will not. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** It is needed no more: ends it in a while. */
  leave(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ending.abort(), outlastsByMs).unref();
  }

  /** Resolves when nothing is left of it. */
  end(): Promise<void> {
    this.#ending.abort();
    clearTimeout(this.#timer);
    return this.#ended;
  }
}

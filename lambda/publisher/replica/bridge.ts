// Carries a stream over the destination's other URL while the connection to its own URL is replaced.
import { runConnection } from './publish-connection.ts';
import type { PublishConnectionOptions } from './publish-connection.ts';

/** A connection that lasts until the bridge ends it, and that tells nobody how it does. */
export type BridgeConnection = Omit<PublishConnectionOptions, 'onEvidence' | 'prepareEnd' | 'onEnding' | 'onSlow'>;

export interface BridgeOptions {
  /** What to send and where to; null when there is nowhere. */
  readonly open: () => Promise<BridgeConnection | null>;
  /** Told why there is no bridge, or no bridge any more. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * A destination that has not taken a picture by then has something in its way: the connection is replaced without a
 * bridge.
 */
const standsWithinMs = 10_000;
/** A platform first has to notice that the stream's own connection is back. */
const outlastsByMs = 2000;

export class Bridge {
  readonly #ending = new AbortController();
  readonly #ended: Promise<void>;
  #isSettled = false;
  #timer: NodeJS.Timeout;

  /** @param signal ends it as `end` does */
  constructor({ open, onFailure }: BridgeOptions, signal: AbortSignal) {
    this.#timer = setTimeout(() => this.#ending.abort(), standsWithinMs);
    this.#ended = this.#carry(open, AbortSignal.any([signal, this.#ending.signal]))
      .catch(onFailure)
      .then(() => this.#settle());
  }

  /** Whether the destination takes pictures over the bridge, or the bridge was given up. */
  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Ends the bridge in a while: the stream's own connection is back. */
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

  async #carry(open: BridgeOptions['open'], signal: AbortSignal): Promise<void> {
    // The end does not wait for `open`: the database that it asks may not answer.
    const connection = await Promise.race([open(), untilAborted(signal)]);
    if (!connection) return;
    await runConnection(
      {
        ...connection,
        onEvidence: () => this.#settle(),
        prepareEnd: () => false,
        onEnding: () => {},
        onSlow: () => {},
      },
      signal,
    );
  }

  #settle(): void {
    this.#isSettled = true;
    clearTimeout(this.#timer);
  }
}

function untilAborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(null), { once: true }));
}

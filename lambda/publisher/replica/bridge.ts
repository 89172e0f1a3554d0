// Carries a stream over the destination's other URL while the connection to its own URL is replaced.
import { runConnection } from './publish-connection.ts';
import type { PublishConnectionOptions } from './publish-connection.ts';

/** The options of a bridge's connection, which lasts until the bridge ends it and reports nothing. */
export type BridgeConnection = Omit<
  PublishConnectionOptions,
  'onEvidence' | 'prepareEnd' | 'onEnding' | 'onSlow' | 'onTaking'
>;

export interface BridgeOptions {
  /** Loads the options of the connection; null if there is no URL for a bridge. */
  readonly open: () => Promise<BridgeConnection | null>;
  /** Called when the bridge could not be built, or failed. */
  readonly onFailure: (error: unknown) => void;
}

/** Time for the destination to accept a picture over the bridge. After it, the connection is replaced without one. */
const standsWithinMs = 10_000;
/** Time that a platform needs to notice that the stream's own connection is back. */
const outlastsByMs = 2000;

export class Bridge {
  readonly #ending = new AbortController();
  readonly #ended: Promise<void>;
  #isDecided = false;
  #timer: NodeJS.Timeout;

  /** @param signal ends it as `end` does */
  constructor({ open, onFailure }: BridgeOptions, signal: AbortSignal) {
    this.#timer = setTimeout(() => this.#ending.abort(), standsWithinMs);
    this.#ended = this.#carry(open, AbortSignal.any([signal, this.#ending.signal]))
      .catch(onFailure)
      .then(() => this.#decide());
  }

  /** Whether the destination accepts pictures over the bridge, or the bridge was given up. */
  get isDecided(): boolean {
    return this.#isDecided;
  }

  /** Ends the bridge after two seconds, because the stream's own connection is back. */
  leave(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ending.abort(), outlastsByMs).unref();
  }

  /** Ends the bridge at once. Resolves when nothing of it is left. */
  end(): Promise<void> {
    this.#ending.abort();
    clearTimeout(this.#timer);
    return this.#ended;
  }

  async #carry(open: BridgeOptions['open'], signal: AbortSignal): Promise<void> {
    // The end does not wait for `open`, which reads the database, and that may not answer.
    const connection = await Promise.race([open(), untilAborted(signal)]);
    if (!connection) return;
    await runConnection(
      {
        ...connection,
        onEvidence: () => this.#decide(),
        prepareEnd: () => false,
        onEnding: () => {},
        onSlow: () => {},
        onTaking: () => {},
      },
      signal,
    );
  }

  #decide(): void {
    this.#isDecided = true;
    clearTimeout(this.#timer);
  }
}

function untilAborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(null), { once: true }));
}

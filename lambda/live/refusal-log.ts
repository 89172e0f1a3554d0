// Counts refused contributors, and logs a bounded number of them: strangers could fill the log otherwise.
import type { Log } from '../log.ts';
import type { ConnectionEndReason } from './contributor-host.ts';

/**
 * A reason of a refusal before any media. The three after the first are found before a connection speaks RTMP, the last
 * two in the handshake of SRT.
 */
export type RefusalReason =
  | ConnectionEndReason
  | 'proxy_header'
  | 'too_many_connections'
  | 'too_many_connections_of_address'
  | 'bad_stream_id'
  | 'unsupported_caller';

const minuteMs = 60_000;

export class RefusalLog {
  readonly #log: Log;
  readonly #mostPerMinute: number;
  readonly #counts = new Map<RefusalReason, number>();
  #minuteBeganAtMs = -Infinity;
  #loggedInMinute = 0;
  #unlogged = 0;

  constructor(log: Log, mostPerMinute: number) {
    this.#log = log;
    this.#mostPerMinute = mostPerMinute;
  }

  /** Refusals since the start. */
  get count(): number {
    return this.#counts.values().reduce((sum, count) => sum + count, 0);
  }

  countsByReason(): Partial<Record<RefusalReason, number>> {
    return Object.fromEntries(this.#counts);
  }

  note(reason: RefusalReason, address: string, nowMs: number): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
    if (nowMs - this.#minuteBeganAtMs >= minuteMs) {
      this.#minuteBeganAtMs = nowMs;
      this.#loggedInMinute = 0;
    }
    if (this.#loggedInMinute >= this.#mostPerMinute) {
      this.#unlogged++;
      return;
    }
    this.#log('contributor_refused', { reason, address, ...(this.#unlogged > 0 && { unlogged: this.#unlogged }) });
    this.#loggedInMinute++;
    this.#unlogged = 0;
  }
}

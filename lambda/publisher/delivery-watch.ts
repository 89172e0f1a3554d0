// Watches what a destination takes of what is sent to it: the evidence of a live stream, and the end of one that takes nothing.
import type { Figures } from './figures.ts';
import { DestinationError } from './rtmp/destination-error.ts';
import type { RtmpPublisher } from './rtmp/rtmp-publisher.ts';

export interface DeliveryWatchOptions {
  readonly publisher: Pick<RtmpPublisher, 'bytesSent' | 'bytesQueued'>;
  readonly figures: Figures;
  /** The destination has taken the first picture. */
  readonly onEvidence: () => void;
}

/** So long without a byte taken, or behind the clock, and the destination or the encoder is too slow (operations, part 5). */
export const slowAfterMs = 5000;
/** Waiting in our socket: a few seconds of media. Beyond it nothing more is written until the destination takes some. */
export const maxQueuedBytes = 4 * 1024 * 1024;

export class DeliveryWatch {
  readonly #options: DeliveryWatchOptions;
  #firstPictureEnd: number | null = null;
  #isEvident = false;
  #bytesCounted: number;
  #bytesTaken = 0;
  #takenAtMs: number;

  /** @param nowMs of the same steady clock as in `check` */
  constructor(options: DeliveryWatchOptions, nowMs: number) {
    this.#options = options;
    this.#bytesCounted = options.publisher.bytesSent;
    this.#takenAtMs = nowMs;
  }

  /** What was sent until now ends with a picture. */
  pictureSent(): void {
    this.#firstPictureEnd ??= this.#options.publisher.bytesSent;
  }

  /** To be called every fraction of a second. @throws {DestinationError} timed_out when nothing was taken for 5 s */
  check(nowMs: number): void {
    const { publisher, figures, onEvidence } = this.#options;
    const { bytesSent, bytesQueued } = publisher;
    figures.sent(bytesSent - this.#bytesCounted);
    this.#bytesCounted = bytesSent;
    const taken = bytesSent - bytesQueued;
    if (bytesQueued === 0 || taken > this.#bytesTaken) this.#takenAtMs = nowMs;
    this.#bytesTaken = taken;
    // Not whether the queue is empty: over TLS what was just written always waits for a moment.
    if (!this.#isEvident && this.#firstPictureEnd !== null && taken >= this.#firstPictureEnd) {
      this.#isEvident = true;
      onEvidence();
    }
    if (nowMs - this.#takenAtMs > slowAfterMs) throw new DestinationError('timed_out');
  }
}

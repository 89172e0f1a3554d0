// Watches what a destination takes: the evidence of a live stream, and the end of a connection that takes nothing.
import type { Figures } from './figures.ts';
import { DestinationError } from '../destination/destination-error.ts';
import type { Publisher } from '../destination/publisher.ts';

export interface DeliveryWatchOptions {
  readonly publisher: Pick<
    Publisher,
    'bytesSent' | 'bytesQueued' | 'bytesDelivered' | 'deliveredAgoMs' | 'bytesAcknowledged' | 'heldSeconds'
  >;
  readonly figures: Figures;
  /** The destination has taken the first picture. */
  readonly onEvidence: () => void;
}

/** A destination that has taken nothing for so long, or an encoder that is so far behind the clock, is too slow. */
export const slowAfterMs = 5000;
/**
 * A stall has to be noticed within 5 s, and whoever checks comes a quarter of a second late. What arrived since the
 * last look, 1.25 s ago at most, counts from that look. So a pause of 3.2 s passes: Linux sends what was lost again
 * after 3 s.
 */
const stalledAfterMs = 4500;
/** Acknowledgements come up to a second after what they are about, so their rhythm may end sooner than media. */
const silentAfterMs = 3500;
/**
 * Checks come several times a second: when the next one is later than this, our own process was stopped or short of
 * CPU.
 */
const heldUpAfterMs = 1000;
/**
 * So much may wait in our socket, a few seconds of media. Beyond it nothing is written until the destination takes
 * some.
 */
export const maxQueuedBytes = 4 * 1024 * 1024;

export class DeliveryWatch {
  readonly #options: DeliveryWatchOptions;
  readonly #rhythm: AcknowledgementRhythm;
  #firstPictureEnd: number | null = null;
  #isEvident = false;
  #bytesCounted: number;
  #bytesArrived = 0;
  #arrivedAtMs: number;
  #checkedAtMs: number;

  /** @param nowMs of the same steady clock as in `check` */
  constructor(options: DeliveryWatchOptions, nowMs: number) {
    this.#options = options;
    this.#bytesCounted = options.publisher.bytesSent;
    this.#arrivedAtMs = nowMs;
    this.#checkedAtMs = nowMs;
    this.#rhythm = new AcknowledgementRhythm(options.publisher.bytesSent, nowMs);
  }

  /** The last byte sent until now is the end of a picture. */
  pictureSent(): void {
    const { figures, publisher } = this.#options;
    this.#firstPictureEnd ??= publisher.bytesSent;
    figures.aired.written(publisher.bytesSent);
  }

  /**
   * To be called every fraction of a second.
   * @throws {DestinationError} stalled when nothing arrived for 5 s, and for as long as the way out holds media besides
   */
  check(nowMs: number): void {
    const { publisher, figures, onEvidence } = this.#options;
    const { bytesSent, bytesQueued, bytesDelivered, deliveredAgoMs, bytesAcknowledged, heldSeconds } = publisher;
    const sinceCheckMs = nowMs - this.#checkedAtMs;
    this.#checkedAtMs = nowMs;
    if (sinceCheckMs > heldUpAfterMs) {
      // Nobody looked during this time, so it says nothing about the destination.
      this.#arrivedAtMs += sinceCheckMs;
      this.#rhythm.leaveOut(sinceCheckMs);
    } else if (bytesSent === this.#bytesCounted && bytesQueued === 0) {
      // A server has nothing to answer to, as while an encoder gives nothing.
      this.#rhythm.leaveOut(sinceCheckMs);
    }
    figures.sent(bytesSent - this.#bytesCounted);
    this.#bytesCounted = bytesSent;
    const taken = bytesSent - bytesQueued;
    // The operating system takes megabytes into its buffers, so what it has taken says little about the destination.
    const arrived = bytesDelivered ?? taken;
    if (arrived === bytesSent) this.#arrivedAtMs = nowMs;
    else if (arrived > this.#bytesArrived) this.#arrivedAtMs = Math.max(this.#arrivedAtMs, nowMs - deliveredAgoMs);
    this.#bytesArrived = Math.max(this.#bytesArrived, arrived);
    figures.aired.arrived(this.#bytesArrived);
    // An empty queue is not asked for: over TLS, what was just written always waits for a moment.
    if (!this.#isEvident && this.#firstPictureEnd !== null && taken >= this.#firstPictureEnd) {
      this.#isEvident = true;
      onEvidence();
    }
    const isSilent = this.#rhythm.hasStopped(bytesAcknowledged, bytesSent, nowMs);
    const patienceMs = (bytesDelivered === null ? slowAfterMs : stalledAfterMs) + heldSeconds * 1000;
    const isStalled = nowMs - this.#arrivedAtMs > patienceMs;
    if (isStalled || isSilent) throw new DestinationError('stalled');
  }
}

/** So many acknowledgements show how often a server sends them. */
const knownRhythm = 3;
/** Some servers count bytes in signed or unsigned 32 bits: at multiples of this their acknowledgements may end. */
const counterEnd = 2 ** 31;

/**
 * Notices a server program that reads no more while its operating system still takes all we send. Only RTMP's
 * acknowledgements show that, if the server sent them regularly before. Their numbers do not count, since servers count
 * in different ways.
 */
class AcknowledgementRhythm {
  #last: number | null = null;
  #count = 0;
  #longestBytes = 0;
  #sentAtLast: number;
  #lastAtMs: number;

  constructor(bytesSent: number, nowMs: number) {
    this.#sentAtLast = bytesSent;
    this.#lastAtMs = nowMs;
  }

  leaveOut(ms: number): void {
    this.#lastAtMs += ms;
  }

  hasStopped(bytesAcknowledged: number | null, bytesSent: number, nowMs: number): boolean {
    const sinceBytes = bytesSent - this.#sentAtLast;
    if (bytesAcknowledged !== this.#last) {
      this.#longestBytes = Math.max(this.#longestBytes, sinceBytes);
      this.#count++;
      this.#last = bytesAcknowledged;
      this.#sentAtLast = bytesSent;
      this.#lastAtMs = nowMs;
      return false;
    }
    const mayHaveOverflowed = Math.floor(bytesSent / counterEnd) !== Math.floor(this.#sentAtLast / counterEnd);
    return (
      this.#count >= knownRhythm &&
      sinceBytes > 2 * this.#longestBytes &&
      nowMs - this.#lastAtMs > silentAfterMs &&
      !mayHaveOverflowed
    );
  }
}

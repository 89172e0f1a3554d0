// Watches what a destination accepts: it reports the first picture, and ends a connection that accepts nothing.
import type { Figures } from './figures.ts';
import { DestinationError } from '../destination/destination-error.ts';
import type { Publisher } from '../destination/publisher.ts';

export interface DeliveryWatchOptions {
  readonly publisher: Pick<
    Publisher,
    'bytesSent' | 'bytesQueued' | 'bytesDelivered' | 'deliveredAgoMs' | 'bytesAcknowledged' | 'heldSeconds'
  >;
  readonly figures: Figures;
  /** Called when the destination has accepted the first picture. */
  readonly onEvidence: () => void;
}

/** A destination that accepts nothing for this long, or an encoder this far behind the clock, is too slow. */
export const slowAfterMs = 5000;
/**
 * A stall must be noticed within 5 s, and a check may be a quarter of a second late. Bytes that arrived since the last
 * check, at most 1.25 s ago, count from that check. So a pause of 3.2 s passes: Linux retransmits lost packets after
 * 3 s.
 */
const stalledAfterMs = 4500;
/** Acknowledgements come up to a second after their bytes, so their rhythm may end sooner than media. */
const silentAfterMs = 3500;
/** Checks come several times a second. If the next one is later than this, our process was stopped or short of CPU. */
const heldUpAfterMs = 1000;
/** Bytes that may wait in our socket: a few seconds of media. With more, writing pauses. */
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

  /** @param nowMs now, by the steady clock of `check` */
  constructor(options: DeliveryWatchOptions, nowMs: number) {
    this.#options = options;
    this.#bytesCounted = options.publisher.bytesSent;
    this.#arrivedAtMs = nowMs;
    this.#checkedAtMs = nowMs;
    this.#rhythm = new AcknowledgementRhythm(options.publisher.bytesSent, nowMs);
  }

  /** The last byte sent so far is the end of a picture. */
  pictureSent(): void {
    const { figures, publisher } = this.#options;
    this.#firstPictureEnd ??= publisher.bytesSent;
    figures.aired.written(publisher.bytesSent);
  }

  /**
   * Checks what has arrived; call it several times a second.
   * @throws {DestinationError} `stalled` when nothing arrived for 5 s, plus the seconds that the protocol itself holds
   */
  check(nowMs: number): void {
    const { publisher, figures, onEvidence } = this.#options;
    const { bytesSent, bytesQueued, bytesDelivered, deliveredAgoMs, bytesAcknowledged, heldSeconds } = publisher;
    const sinceCheckMs = nowMs - this.#checkedAtMs;
    this.#checkedAtMs = nowMs;
    if (sinceCheckMs > heldUpAfterMs) {
      // No check ran during this time, so it proves nothing about the destination.
      this.#arrivedAtMs += sinceCheckMs;
      this.#rhythm.leaveOut(sinceCheckMs);
    } else if (bytesSent === this.#bytesCounted && bytesQueued === 0) {
      // Nothing was sent, as when an encoder gives nothing, so the server has nothing to acknowledge.
      this.#rhythm.leaveOut(sinceCheckMs);
    }
    figures.sent(bytesSent - this.#bytesCounted);
    this.#bytesCounted = bytesSent;
    const taken = bytesSent - bytesQueued;
    // Our operating system buffers megabytes, so `taken` alone proves little about the destination. Decision D68.
    const arrived = bytesDelivered ?? taken;
    if (arrived === bytesSent) this.#arrivedAtMs = nowMs;
    else if (arrived > this.#bytesArrived) this.#arrivedAtMs = Math.max(this.#arrivedAtMs, nowMs - deliveredAgoMs);
    this.#bytesArrived = Math.max(this.#bytesArrived, arrived);
    figures.aired.arrived(this.#bytesArrived);
    // The queue need not be empty: over TLS, the last write always waits for a moment.
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

/** Acknowledgements after which a server's rhythm is known. */
const knownRhythm = 3;
/** Some servers count bytes in signed or unsigned 32 bits: at multiples of this their acknowledgements may end. */
const counterEnd = 2 ** 31;

/**
 * Notices a server program that has stopped reading while its operating system still accepts all bytes. Only RTMP's
 * acknowledgements show that, if the server sent them regularly before. Their numbers are ignored, since servers count
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

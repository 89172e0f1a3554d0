// How much of what was sent has arrived, from a server's Acknowledgement messages.

/**
 * The protocol says that the number in an Acknowledgement is all bytes received so far, as a uint32 that wraps. Some servers send
 * the bytes since their last one instead. A number that does not grow gives those away, unless their sum is more than was sent.
 */
export class AcknowledgementCounter {
  #lastNumber = 0;
  #asTotal = 0;
  #asIncrements = 0;
  #grew = true;
  #acknowledged: number | null = null;

  /** Bytes, cumulative and never falling; null before the first Acknowledgement. */
  get bytesAcknowledged(): number | null {
    return this.#acknowledged;
  }

  /** @param number the message's uint32 @param bytesSent an upper bound of what can have arrived */
  acknowledge(number: number, bytesSent: number): void {
    const growth = (number - this.#lastNumber) >>> 0;
    // More than half the range forward is a step back.
    if (growth > 0 && growth < 2 ** 31) this.#asTotal += growth;
    else this.#grew = false;
    this.#lastNumber = number;
    this.#asIncrements += number;
    const total = !this.#grew && this.#asIncrements <= bytesSent ? this.#asIncrements : this.#asTotal;
    this.#acknowledged = Math.min(bytesSent, Math.max(this.#acknowledged ?? 0, total));
  }
}

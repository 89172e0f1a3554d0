// Counts the bytes that have arrived, from a server's Acknowledgement messages.

/**
 * By the protocol, an Acknowledgement holds the total of all bytes received so far, as a uint32 that wraps. Some
 * servers send the bytes since their last Acknowledgement instead. A total grows with each message, so a number that
 * does not grow shows that they are increments, unless their sum is more than was sent.
 */
export class AcknowledgementCounter {
  #lastNumber = 0;
  #asTotal = 0;
  #asIncrements = 0;
  /** True while each number was larger than the number before it, as totals are. */
  #alwaysGrew = true;
  #acknowledged: number | null = null;

  /** Bytes that have arrived since the beginning; the number never falls. Null before the first Acknowledgement. */
  get bytesAcknowledged(): number | null {
    return this.#acknowledged;
  }

  /** @param number the message's uint32 @param bytesSent an upper bound of the bytes that can have arrived */
  acknowledge(number: number, bytesSent: number): void {
    const growth = (number - this.#lastNumber) >>> 0;
    // A step forward over more than half of the range is a step back.
    if (growth > 0 && growth < 2 ** 31) this.#asTotal += growth;
    else this.#alwaysGrew = false;
    this.#lastNumber = number;
    this.#asIncrements += number;
    const areIncrements = !this.#alwaysGrew && this.#asIncrements <= bytesSent;
    const total = areIncrements ? this.#asIncrements : this.#asTotal;
    this.#acknowledged = Math.min(bytesSent, Math.max(this.#acknowledged ?? 0, total));
  }
}

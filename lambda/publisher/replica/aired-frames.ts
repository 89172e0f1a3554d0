// Which pictures a destination has taken: stretches of frames, as its system acknowledged their bytes.
import type { AiredStretch } from '../../data/streams.ts';
import type { ItemOccurrence } from '../../domain/play-out.ts';

/** What was sent and is not acknowledged yet. */
interface InFlight {
  readonly from: number;
  readonly to: number;
  readonly standIn: string | null;
  /** How many bytes of the connection had been sent by the end of it. */
  readonly endBytes: number;
}

/**
 * So many stretches are told with each figures. Whatever ends a stretch is reported, and what was reported with figures
 * is written down, so that older ones are there already.
 */
const keptStretches = 16;

export class AiredFrames {
  readonly #stretches: AiredStretch[] = [];
  #isOpen = false;
  /** Pictures whose write has not returned yet, without the bytes that they end with. */
  #unwritten: Omit<InFlight, 'endBytes'>[] = [];
  #inFlight: InFlight[] = [];
  #countedBytes = 0;

  /** The last stretches, which may still grow at their end. */
  get stretches(): readonly AiredStretch[] {
    return this.#stretches;
  }

  /** So many pictures, of which `frame` is the last, are being written. */
  sent(frame: number, { item, isStandIn }: ItemOccurrence, count: number): void {
    const standIn = isStandIn ? item.uploadID : null;
    this.#unwritten.push({ from: frame - count + 1, to: frame + 1, standIn });
  }

  /** They are written. @param bytes sent by the connection so far */
  written(bytes: number): void {
    this.#inFlight.push(...this.#unwritten.map((each) => ({ ...each, endBytes: bytes })));
    this.#unwritten = [];
  }

  /** @param bytes how many of those that the connection sent have arrived */
  arrived(bytes: number): void {
    const count = this.#inFlight.findIndex(({ endBytes }) => endBytes > bytes);
    for (const each of this.#inFlight.splice(0, count === -1 ? Infinity : count)) this.#add(each);
  }

  /**
   * The connection is closed.
   * @param arrived what of that which was sent: all where the next connection goes on with it; where the stream ends,
   * servers that got all may leave the last picture out, as nothing follows it
   */
  closed(arrived: 'all' | 'all but the last' | 'what is known'): void {
    const last = this.#inFlight.at(-1);
    if (last && arrived === 'all but the last')
      this.#inFlight[this.#inFlight.length - 1] = { ...last, to: last.to - 1 };
    if (arrived !== 'what is known') this.arrived(Infinity);
    this.#inFlight = [];
    this.#unwritten = [];
    this.#countedBytes = 0;
    this.#isOpen = false;
  }

  #add({ from, to, standIn, endBytes }: InFlight): void {
    if (to === from) return;
    const last = this.#stretches.at(-1);
    const bytes = endBytes - this.#countedBytes;
    this.#countedBytes = endBytes;
    if (this.#isOpen && last?.to === from && last.standIn === standIn) {
      this.#stretches[this.#stretches.length - 1] = { ...last, to, bytes: last.bytes + bytes };
      return;
    }
    this.#isOpen = true;
    this.#stretches.push({ from, to, bytes, standIn });
    if (this.#stretches.length > keptStretches) this.#stretches.shift();
  }
}

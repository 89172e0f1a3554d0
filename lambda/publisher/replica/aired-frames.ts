// Which pictures a destination has taken: stretches of frames, as its system acknowledged their bytes.
import type { AiredStretch } from '../../domain/playout/aired.ts';
import type { ItemOccurrence } from '../../domain/playout/play-out.ts';

/** Successive pictures. */
interface Pictures {
  readonly from: number;
  readonly to: number;
  readonly standIn: string | null;
  readonly soundStandIn: string | null;
}

/** What was sent and is not acknowledged yet. */
interface InFlight extends Pictures {
  /** How many bytes of the connection had been sent by the end of it. */
  readonly endBytes: number;
}

/** So many stretches are told with each figures. */
const toldStretches = 16;
/** With more than these, they are to be noted before any of them is told no more. */
const uncriticalStretches = toldStretches / 2;
/** While nobody can note them, no more than these are kept: an hour of them where something else plays every 4 s. */
const mostStretches = 1000;

export class AiredFrames {
  readonly #stretches: AiredStretch[] = [];
  #isOpen = false;
  /** Pictures whose write has not returned yet, without the bytes that they end with. */
  #unwritten: Pictures[] = [];
  #inFlight: InFlight[] = [];
  #countedBytes = 0;

  /** The last stretches, of which the last may still grow at its end. */
  get stretches(): readonly AiredStretch[] {
    return this.#stretches.slice(-toldStretches);
  }

  /** All that may not have been noted, in the same order. */
  get unnoted(): readonly AiredStretch[] {
    return [...this.#stretches];
  }

  /** Whether some would soon be told no more. */
  get areToBeNoted(): boolean {
    return this.#stretches.length > uncriticalStretches;
  }

  /** These are written down: the last of them may still grow, and the others are not needed any more. */
  noted(stretches: readonly AiredStretch[]): void {
    const last = this.#stretches.findIndex(({ from }) => from === stretches.at(-1)?.from);
    this.#stretches.splice(0, Math.max(0, last));
  }

  /**
   * So many pictures, of which `frame` is the last, are being written.
   * @param soundStandIn whose sound goes with them in place of the item that the track of sound has there
   */
  sent(frame: number, { item, isStandIn }: ItemOccurrence, count: number, soundStandIn: string | null): void {
    const pictures = {
      from: frame - count + 1,
      to: frame + 1,
      standIn: isStandIn ? item.uploadID : null,
      soundStandIn,
    };
    const last = this.#unwritten.at(-1);
    if (last?.to === pictures.from && isOfSame(last, pictures))
      this.#unwritten[this.#unwritten.length - 1] = { ...pictures, from: last.from };
    else this.#unwritten.push(pictures);
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

  #add({ endBytes, ...pictures }: InFlight): void {
    const { from, to } = pictures;
    if (to === from) return;
    const last = this.#stretches.at(-1);
    const bytes = endBytes - this.#countedBytes;
    this.#countedBytes = endBytes;
    if (this.#isOpen && last?.to === from && isOfSame(last, pictures)) {
      this.#stretches[this.#stretches.length - 1] = { ...last, to, bytes: last.bytes + bytes };
      return;
    }
    this.#isOpen = true;
    this.#stretches.push({ ...pictures, bytes });
    if (this.#stretches.length > mostStretches) this.#stretches.shift();
  }
}

type StandIns = Pick<AiredStretch, 'standIn' | 'soundStandIn'>;

function isOfSame(one: StandIns, other: StandIns): boolean {
  return one.standIn === other.standIn && one.soundStandIn === other.soundStandIn;
}

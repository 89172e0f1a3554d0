// The pictures that a destination has accepted: stretches of frames whose bytes its system has acknowledged.
import type { AiredStretch } from '../../domain/playout/aired.ts';
import { sentInPlace } from '../../domain/playout/play-out.ts';
import type { ItemOccurrence } from '../../domain/playout/play-out.ts';

/** A range of pictures: frames `from` to `to`, without `to`. */
type Pictures = Omit<AiredStretch, 'bytes'>;

/** Pictures that were sent and are not acknowledged yet. */
interface InFlight extends Pictures {
  /** Bytes that the connection had sent by the end of the last picture. */
  readonly endBytes: number;
}

/** Stretches that each report of figures carries. */
const reportedStretches = 16;
/** With more stretches than these, they are recorded before the oldest drops out of the reports. */
const uncriticalStretches = reportedStretches / 2;
/** Stretches kept while they cannot be recorded: an hour if another item plays every 4 s. */
const mostStretches = 1000;

export class AiredFrames {
  readonly #stretches: AiredStretch[] = [];
  #isOpen = false;
  /** Pictures whose write has not returned yet, without the bytes that they end with. */
  #unwritten: Pictures[] = [];
  #inFlight: InFlight[] = [];
  #countedBytes = 0;

  /** The newest stretches, oldest first. The last one may still grow. */
  get stretches(): readonly AiredStretch[] {
    return this.#stretches.slice(-reportedStretches);
  }

  /** All stretches that may not be recorded yet, oldest first. */
  get unrecorded(): readonly AiredStretch[] {
    return [...this.#stretches];
  }

  /** Whether the oldest stretches would soon drop out of the reports. */
  get isRecordDue(): boolean {
    return this.#stretches.length > uncriticalStretches;
  }

  /** Drops recorded stretches, except the last, which may still grow. */
  markRecorded(stretches: readonly AiredStretch[]): void {
    const last = this.#stretches.findIndex(({ from }) => from === stretches.at(-1)?.from);
    this.#stretches.splice(0, Math.max(0, last));
  }

  /**
   * Pictures are being written.
   * @param frame the last of them
   * @param soundStandIn the upload whose sound is sent in place of the sound track's item; null if none
   */
  sent(frame: number, occurrence: ItemOccurrence, count: number, soundStandIn: string | null): void {
    const pictures = {
      from: frame - count + 1,
      to: frame + 1,
      standIn: sentInPlace(occurrence),
      soundStandIn,
    };
    const last = this.#unwritten.at(-1);
    if (last?.to === pictures.from && isOfSame(last, pictures))
      this.#unwritten[this.#unwritten.length - 1] = { ...pictures, from: last.from };
    else this.#unwritten.push(pictures);
  }

  /** All pictures of `sent` are written. @param bytes sent by the connection so far */
  written(bytes: number): void {
    this.#inFlight.push(...this.#unwritten.map((each) => ({ ...each, endBytes: bytes })));
    this.#unwritten = [];
  }

  /** @param bytes the number of the connection's bytes that have arrived */
  arrived(bytes: number): void {
    const count = this.#inFlight.findIndex(({ endBytes }) => endBytes > bytes);
    for (const each of this.#inFlight.splice(0, count === -1 ? Infinity : count)) this.#add(each);
  }

  /**
   * The connection is closed.
   * @param arrived the part of the sent pictures that arrived. A server may leave out the last picture of a stream, as
   * no other follows it
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

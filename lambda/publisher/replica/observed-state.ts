// The state of a replica as observed on its connection: live, about to be late, or late, and the party at fault.
import type { StateReason } from '../../domain/streams/stream-words.ts';
import { DestinationError } from '../destination/destination-error.ts';
import { fallsBehind, TooSlow } from './faults.ts';
import type { Slowness } from './stream-media.ts';
import { reasonOf } from './whose-fault.ts';
import type { Report } from './latest-report.ts';
import type { ReplicaState } from '../../domain/fleet/replica-words.ts';

type ReportState = (
  state: ReplicaState,
  reason: StateReason | null,
  more?: Required<Pick<Report, 'takesMedia'>>,
) => void;

export class ObservedState {
  readonly #report: ReportState;
  #isOnAir = false;
  #isShortOfMedia = false;

  /** @param report called with each state; the reason explains `failing`, or warns of the end of `live` */
  constructor(report: ReportState) {
    this.#report = report;
  }

  /** Whether so little media is ready that pictures are about to be late, or are late. */
  get isShortOfMedia(): boolean {
    return this.#isShortOfMedia;
  }

  tookMedia(): void {
    this.#isOnAir = true;
    this.#reportLive();
  }

  short(isShort: boolean): void {
    this.#isShortOfMedia = isShort;
    if (this.#isOnAir) this.#reportLive();
  }

  slow(through: Slowness | null): void {
    this.#isOnAir = through === null;
    if (through === null) return this.#reportLive();
    this.#report('failing', reasonOf(through === 'publisher' ? new TooSlow() : new DestinationError('too_slow')));
  }

  /** While it is slow, the destination takes pictures, or leaves some out. */
  takesPart(takesMedia: boolean): void {
    this.#report('failing', reasonOf(new DestinationError('too_slow')), { takesMedia });
  }

  /** Forgets the observations, which do not hold for the next connection. */
  connectionEnded(): void {
    this.#isOnAir = false;
    this.#isShortOfMedia = false;
  }

  #reportLive(): void {
    this.#report('live', this.#isShortOfMedia ? fallsBehind : null);
  }
}

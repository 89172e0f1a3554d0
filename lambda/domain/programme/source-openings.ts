// The times at which a source has a member that may begin, found without asking each member at each time.
import { weekMinuteOf, weekMinutes } from '../media/availability.ts';
import type { OpenTimes } from '../media/availability.ts';

/** The members of a source that may begin. Times that are asked for never decrease. */
export class SourceOpenings {
  /** Members whose first time is to come, the next one last. */
  readonly #coming: OpenTimes[];
  /** Members whose last time is to come, the next one last. */
  readonly #ending: OpenTimes[];
  /** Members that may begin at all hours now. */
  #unlimited: number;
  /** Whether any member has times. */
  readonly isLimited: boolean;
  /** For each minute of a week, the members whose hours begin there, less those whose hours end there. */
  readonly #steps = new Int32Array(weekMinutes + 1);
  /** For each minute of a week, 1 if a member may begin; null: it is to be computed. */
  #open: Uint8Array | null = null;

  /** @param members null: it may begin at any time */
  constructor(members: readonly (OpenTimes | null)[]) {
    const valid = members.filter((times) => times !== null && times.fromMs < times.untilMs) as OpenTimes[];
    this.#unlimited = members.filter((times) => times === null).length;
    this.isLimited = this.#unlimited < members.length;
    this.#coming = valid.toSorted((one, other) => (one.fromMs < other.fromMs ? 1 : -1));
    const ending = valid.filter(({ untilMs }) => untilMs !== Infinity);
    this.#ending = ending.toSorted((one, other) => other.untilMs - one.untilMs);
  }

  /** Whether a member may begin. @param offsetMs the offset of the programme's time zone from UTC at that time */
  isOpen(nowMs: number, offsetMs: number): boolean {
    return this.isOpenWithin(nowMs, nowMs, offsetMs);
  }

  /** Whether a member may begin in a minute, or in a part of it, in Unix times in ms. */
  isOpenWithin(fromMs: number, throughMs: number, offsetMs: number): boolean {
    while (this.#coming.length > 0 && this.#coming.at(-1)!.fromMs <= throughMs) this.#count(this.#coming.pop()!, 1);
    while (this.#ending.length > 0 && this.#ending.at(-1)!.untilMs <= fromMs) this.#count(this.#ending.pop()!, -1);
    if (this.#unlimited > 0) return true;
    this.#open ??= this.#openMinutes();
    return this.#open[weekMinuteOf(fromMs + offsetMs)] === 1;
  }

  #count(times: OpenTimes, by: 1 | -1): void {
    if (times.hasHours) times.countIn(this.#steps, by);
    else this.#unlimited += by;
    this.#open = null;
  }

  #openMinutes(): Uint8Array {
    const open = new Uint8Array(weekMinutes);
    for (let [minute, count] = [0, 0]; minute < weekMinutes; minute++) {
      count += this.#steps[minute]!;
      if (count > 0) open[minute] = 1;
    }
    return open;
  }
}

// The times at which programmes may begin an upload.
import { dayMinutes, minutesOf, weekdays } from '../shared/wall-clock.ts';
import type { Weekday } from '../shared/wall-clock.ts';

/** Hours of some days. They continue into the next day if they end before they begin. */
export interface AvailableHours {
  readonly days: readonly Weekday[];
  /** Times of day, as HH:mm. At `to` it may no longer begin. Two equal times: the whole day. */
  readonly from: string;
  readonly to: string;
}

export interface Availability {
  /** The first time, in ISO 8601; null: since ever. */
  readonly from: string | null;
  /** The time, in ISO 8601, at which it may no longer begin; null: without end. */
  readonly until: string | null;
  /** Hours in the time zone of the programme; empty: all hours. */
  readonly hours: readonly AvailableHours[];
}

const dayMs = 86_400_000;
const minuteMs = 60_000;
/** Minutes of a week. */
export const weekMinutes = 7 * dayMinutes;

/** Hours of some days, parsed. They are kept small: a programme may have 10,000 uploads with their own ones. */
interface ParsedHours {
  /** One bit for each day, Monday first. */
  readonly days: number;
  /** Minutes after midnight. */
  readonly from: number;
  /** A day at most. */
  readonly minutes: number;
}

/** The times at which one upload may begin, parsed once. */
export class OpenTimes {
  /** Unix time in ms of the first time; -Infinity: since ever. */
  readonly fromMs: number;
  /** Unix time in ms at which it may no longer begin; Infinity: without end. */
  readonly untilMs: number;
  /** Null: all hours. */
  readonly #hours: readonly ParsedHours[] | null;

  constructor({ from, until, hours }: Availability) {
    this.fromMs = from === null ? -Infinity : Date.parse(from);
    this.untilMs = until === null ? Infinity : Date.parse(until);
    this.#hours = hours.length === 0 ? null : hours.map(parsed);
  }

  /** Whether it has hours. If not, it may begin at all hours. */
  get hasHours(): boolean {
    return this.#hours !== null;
  }

  /**
   * Counts the beginnings and ends of its hours in a week.
   * @param steps for each minute from Monday 00:00 on, hours that begin less hours that end; longer by one minute
   * @param by 1 to add, -1 to take away
   */
  countIn(steps: Int32Array, by: 1 | -1): void {
    for (const { days, from: begins, minutes } of this.#hours ?? [])
      for (let day = 0; day < 7; day++) {
        if (!hasDay(days, day)) continue;
        const from = day * dayMinutes + begins;
        const until = from + minutes;
        steps[from]! += by;
        steps[Math.min(until, weekMinutes)]! -= by;
        if (until <= weekMinutes) continue;
        // Those of Sunday night end in the first minutes of the week.
        steps[0]! += by;
        steps[until - weekMinutes]! -= by;
      }
  }

  /**
   * Whether a programme may begin the upload at a time.
   * @param nowMs Unix time in ms
   * @param offsetMs the offset of the programme's time zone from UTC at that time
   */
  isOpen(nowMs: number, offsetMs: number): boolean {
    if (nowMs < this.fromMs || nowMs >= this.untilMs) return false;
    if (this.#hours === null) return true;
    const minute = weekMinuteOf(nowMs + offsetMs);
    return this.#hours.some((hours) => daysSinceBeginning(hours, minute) !== null);
  }
}

/**
 * The stretch of some hours around a time: from the earliest beginning of those that have it, to their latest end.
 * @param localMs a local time, as ms since 1970 of a clock without a zone
 * @returns local times; null: no hours have the time
 */
export function stretchAround(
  hours: readonly AvailableHours[],
  localMs: number,
): { readonly fromMs: number; readonly untilMs: number } | null {
  const midnightMs = localMs - (localMs % dayMs);
  let [fromMs, untilMs] = [Infinity, -Infinity];
  for (const each of hours.map(parsed)) {
    const days = daysSinceBeginning(each, weekMinuteOf(localMs));
    if (days === null) continue;
    const beginsMs = midnightMs - days * dayMs + each.from * minuteMs;
    fromMs = Math.min(fromMs, beginsMs);
    untilMs = Math.max(untilMs, beginsMs + each.minutes * minuteMs);
  }
  return fromMs === Infinity ? null : { fromMs, untilMs };
}

/** The minute of the week that a local time is in. @param localMs ms since 1970 of a clock without a zone */
export function weekMinuteOf(localMs: number): number {
  // 1970 began on a Thursday.
  return (Math.floor(localMs / minuteMs) + 3 * dayMinutes) % weekMinutes;
}

function parsed({ days, from, to }: AvailableHours): ParsedHours {
  const [begins, ends] = [minutesOf(from), minutesOf(to)];
  const bits = days.reduce((sum, day) => sum | (1 << weekdays.indexOf(day)), 0);
  return { days: bits, from: begins, minutes: (ends > begins ? ends : ends + dayMinutes) - begins };
}

const hasDay = (days: number, day: number) => (days & (1 << day)) !== 0;

/** The days since the day on which hours that have a minute of the week begin: 0 or 1; null: they do not have it. */
function daysSinceBeginning({ days, from, minutes }: ParsedHours, weekMinute: number): number | null {
  const [today, minute] = [Math.floor(weekMinute / dayMinutes), weekMinute % dayMinutes];
  if (hasDay(days, today) && minute >= from && minute < from + minutes) return 0;
  return hasDay(days, (today + 6) % 7) && minute + dayMinutes < from + minutes ? 1 : null;
}

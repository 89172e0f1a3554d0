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

/**
 * Whether a programme may begin an upload at a time.
 * @param nowMs Unix time in ms
 * @param offsetMs the offset of the programme's time zone from UTC at that time
 */
export function isAvailableAt({ from, until, hours }: Availability, nowMs: number, offsetMs: number): boolean {
  if (from !== null && nowMs < Date.parse(from)) return false;
  if (until !== null && nowMs >= Date.parse(until)) return false;
  return hours.length === 0 || hours.some((each) => beginningMs(each, nowMs + offsetMs) !== null);
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
  let [fromMs, untilMs] = [Infinity, -Infinity];
  for (const each of hours) {
    const beginsMs = beginningMs(each, localMs);
    if (beginsMs === null) continue;
    fromMs = Math.min(fromMs, beginsMs);
    untilMs = Math.max(untilMs, beginsMs + minuteMs * minutesLong(each));
  }
  return fromMs === Infinity ? null : { fromMs, untilMs };
}

/** The local time at which hours that have a local time begin; null: they do not have it. */
function beginningMs(hours: AvailableHours, localMs: number): number | null {
  const begins = minutesOf(hours.from);
  const end = begins + minutesLong(hours);
  const minutes = (localMs % dayMs) / minuteMs;
  const midnightMs = localMs - (localMs % dayMs);
  if (minutes >= begins && minutes < end && isOn(hours, midnightMs)) return midnightMs + minuteMs * begins;
  if (minutes + dayMinutes < end && isOn(hours, midnightMs - dayMs)) return midnightMs - dayMs + minuteMs * begins;
  return null;
}

function minutesLong({ from, to }: AvailableHours): number {
  const minutes = minutesOf(to) - minutesOf(from);
  return minutes > 0 ? minutes : minutes + dayMinutes;
}

function isOn({ days }: AvailableHours, midnightMs: number): boolean {
  return days.includes(weekdays[(new Date(midnightMs).getUTCDay() + 6) % 7]!);
}

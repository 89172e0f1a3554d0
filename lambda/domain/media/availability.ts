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

/**
 * Whether a programme may begin an upload at a time.
 * @param nowMs Unix time in ms
 * @param offsetMs the offset of the programme's time zone from UTC at that time
 */
export function isAvailableAt({ from, until, hours }: Availability, nowMs: number, offsetMs: number): boolean {
  if (from !== null && nowMs < Date.parse(from)) return false;
  if (until !== null && nowMs >= Date.parse(until)) return false;
  return hours.length === 0 || hours.some((each) => hasTime(each, nowMs + offsetMs));
}

/** @param localMs a local time, as ms since 1970 of a clock without a zone */
function hasTime({ days, from, to }: AvailableHours, localMs: number): boolean {
  const minutes = (localMs % dayMs) / 60_000;
  const [begins, ends] = [minutesOf(from), minutesOf(to)];
  const isOn = (ms: number) => days.includes(weekdays[(new Date(ms).getUTCDay() + 6) % 7]!);
  const end = ends > begins ? ends : ends + dayMinutes;
  return (isOn(localMs) && minutes >= begins && minutes < end) || (isOn(localMs - dayMs) && minutes + dayMinutes < end);
}

// Quiet hours: hours of a day, in a time zone, in which a user wants no alerts.
import { dayMinutes, minutesOf } from '../shared/wall-clock.ts';

export interface QuietHours {
  /** HH:MM, in the time zone. */
  readonly from: string;
  /** HH:MM. A time before `from` is on the next day. */
  readonly to: string;
  /** IANA name. */
  readonly timeZone: string;
}

const minuteMs = 60_000;

/**
 * End of the quiet hours that contain an instant; null if none do. Quiet hours follow the clock on the wall: on a day
 * on which clocks change they are longer or shorter.
 */
export function quietUntil(now: Date, { from, to, timeZone }: QuietHours): Date | null {
  const length = (minutesOf(to) - minutesOf(from) + dayMinutes) % dayMinutes;
  const isQuiet = (at: Date) => (minutesOfDay(at, timeZone) - minutesOf(from) + dayMinutes) % dayMinutes < length;
  if (length === 0 || !isQuiet(now)) return null;
  const left = (minutesOf(to) - minutesOfDay(now, timeZone) + dayMinutes) % dayMinutes;
  const thisMinute = Math.floor(now.getTime() / minuteMs);
  // Clocks change by two hours at most. The end is the first minute, near the expected one, that is not quiet.
  for (let minute = thisMinute + Math.max(1, left - 120); ; minute++) {
    const at = new Date(minute * minuteMs);
    if (!isQuiet(at)) return at;
  }
}

const formats = new Map<string, Intl.DateTimeFormat>();

function minutesOfDay(at: Date, timeZone: string): number {
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
    // The cache is bounded by the number of time zones, some 600.
    formats.set(timeZone, format);
  }
  return minutesOf(format.format(at));
}

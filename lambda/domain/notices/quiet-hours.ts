// Quiet hours: the hours of a day, in a time zone, in which nobody wants to be woken.

export interface QuietHours {
  /** HH:MM, in the time zone. */
  readonly from: string;
  /** HH:MM. Earlier than `from`: on the next day. */
  readonly to: string;
  /** Its IANA name. */
  readonly timeZone: string;
}

const minuteMs = 60_000;
const dayMinutes = 24 * 60;

/**
 * When the quiet hours end in which this instant is; null: it is in none. Where clocks change, they begin and end by
 * the clock on the wall, and are an hour longer or shorter.
 */
export function quietUntil(now: Date, { from, to, timeZone }: QuietHours): Date | null {
  const length = (minutesOf(to) - minutesOf(from) + dayMinutes) % dayMinutes;
  const isQuiet = (at: Date) => (minutesOfDay(at, timeZone) - minutesOf(from) + dayMinutes) % dayMinutes < length;
  if (length === 0 || !isQuiet(now)) return null;
  const left = (minutesOf(to) - minutesOfDay(now, timeZone) + dayMinutes) % dayMinutes;
  const thisMinute = Math.floor(now.getTime() / minuteMs);
  // Clocks change by two hours at most. The end is the first minute, near where it is due, that is not quiet.
  for (let minute = thisMinute + Math.max(1, left - 120); ; minute++) {
    const at = new Date(minute * minuteMs);
    if (!isQuiet(at)) return at;
  }
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return 60 * hours + minutes;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function minutesOfDay(at: Date, timeZone: string): number {
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
    // There are some 600 time zones.
    formats.set(timeZone, format);
  }
  return minutesOf(format.format(at));
}

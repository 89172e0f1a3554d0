// Counts what a subject does within an hour and within a day.
import type { Database } from '../../data/database.ts';

const hourSeconds = 3600;
const daySeconds = 24 * hourSeconds;

/** The most within an hour, and within a day. */
export interface HourAndDay {
  readonly perHour: number;
  readonly perDay: number;
}

interface Counted {
  readonly subject: string;
  /** The name of that which is counted. */
  readonly name: string;
  readonly most: HourAndDay;
  /** Multiplies the limits. */
  readonly factor: number;
}

/** Counts one, within the day only if the hour allows it. @returns whether both allow it */
export async function countWithin(
  { requestWindows }: Pick<Database, 'requestWindows'>,
  { subject, name, most, factor }: Counted,
): Promise<boolean> {
  const hour = await requestWindows.count(subject, `${name}_of_hour`, 1, hourSeconds);
  if (hour.requests > most.perHour * factor) return false;
  const day = await requestWindows.count(subject, `${name}_of_day`, 1, daySeconds);
  return day.requests <= most.perDay * factor;
}

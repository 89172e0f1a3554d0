// Windows: the hours in which stable sessions of an input take its stream over by themselves. Decision D251.
import { isAvailableAt } from '../media/availability.ts';
import type { AvailableHours } from '../media/availability.ts';
import { ZoneOffsets } from '../programme/breaks.ts';

export interface TakeWindows {
  /** IANA time zone. */
  readonly timeZone: string;
  /** At least one. Hours that adjoin are one window. */
  readonly hours: readonly AvailableHours[];
}

/** The window at a time. */
export interface OpenWindow {
  /** Its beginning; null: it began more than a week before. */
  readonly from: Date | null;
  /** Its end; null: it ends more than a week later, or never. */
  readonly until: Date | null;
}

const minuteMs = 60_000;
const weekMinutes = 7 * 24 * 60;

/** The window that contains a time; null: none does. */
export function openWindow({ timeZone, hours }: TakeWindows, now: Date): OpenWindow | null {
  const zone = new ZoneOffsets(timeZone);
  const isIn = (ms: number) => isAvailableAt({ from: null, until: null, hours }, ms, zone.offsetMsAt(ms));
  if (!isIn(now.getTime())) return null;
  const minute = Math.floor(now.getTime() / minuteMs) * minuteMs;
  let [from, until]: [Date | null, Date | null] = [null, null];
  for (let away = 1; away <= weekMinutes && (from === null || until === null); away++) {
    const [before, after] = [minute - away * minuteMs, minute + away * minuteMs];
    if (from === null && !isIn(before)) from = new Date(before + minuteMs);
    if (until === null && !isIn(after)) until = new Date(after);
  }
  return { from, until };
}

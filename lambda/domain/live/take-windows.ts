// Windows: the hours in which stable sessions of an input take its stream over by themselves. Decision D251.
import { stretchAround } from '../media/availability.ts';
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
/** Clocks change at none but half hours. */
const halfHourMs = 30 * minuteMs;
const weekMs = 7 * 24 * 60 * minuteMs;

/** The stretch that contains a Unix time in ms; null: none does. */
export type StretchAt = (ms: number) => Stretch | null;

/** The window that contains a time; null: none does. */
export function openWindow(windows: TakeWindows, now: Date): OpenWindow | null {
  return windowAround(now, stretchesOf(windows));
}

/** The window that contains a time: stretches that adjoin are one. */
export function windowAround(now: Date, stretchAt: StretchAt): OpenWindow | null {
  const first = stretchAt(now.getTime());
  if (!first) return null;
  const minute = Math.floor(now.getTime() / minuteMs) * minuteMs;
  const [earliestMs, latestMs] = [minute - weekMs, minute + weekMs];
  let { fromMs, untilMs } = first;
  while (fromMs > earliestMs) {
    const before = stretchAt(fromMs - 1);
    if (!before) break;
    ({ fromMs } = before);
  }
  while (untilMs <= latestMs) {
    const after = stretchAt(untilMs);
    if (!after) break;
    ({ untilMs } = after);
  }
  return {
    from: fromMs > earliestMs ? new Date(fromMs) : null,
    until: untilMs <= latestMs ? new Date(untilMs) : null,
  };
}

/** Unix times in ms. */
export interface Stretch {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** The stretches of the hours of windows, by whole minutes. */
export function stretchesOf({ timeZone, hours }: TakeWindows): StretchAt {
  const zone = new ZoneOffsets(timeZone);
  return (ms) => stretchInZone(hours, Math.floor(ms / minuteMs) * minuteMs, zone);
}

/** The stretch of hours around a time, within which the clocks do not change. */
function stretchInZone(hours: readonly AvailableHours[], ms: number, zone: ZoneOffsets): Stretch | null {
  const offsetMs = zone.offsetMsAt(ms);
  const local = stretchAround(hours, ms + offsetMs);
  if (!local) return null;
  const [fromMs, untilMs] = [local.fromMs - offsetMs, local.untilMs - offsetMs];
  return {
    fromMs: changeBetween(fromMs, ms, zone) ?? fromMs,
    untilMs: changeBetween(ms, untilMs - minuteMs, zone) ?? untilMs,
  };
}

/**
 * The time at which the clocks change after one time and not after another one, less than two days later.
 * @returns Unix time in ms; null: both times have the same offset
 */
function changeBetween(fromMs: number, untilMs: number, zone: ZoneOffsets): number | null {
  const offsetMs = zone.offsetMsAt(fromMs);
  if (zone.offsetMsAt(untilMs) === offsetMs) return null;
  let [before, after] = [Math.floor(fromMs / halfHourMs), Math.floor(untilMs / halfHourMs)];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (zone.offsetMsAt(middle * halfHourMs) === offsetMs) before = middle;
    else after = middle;
  }
  return after * halfHourMs;
}

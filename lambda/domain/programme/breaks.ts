// Breaks between items: when an insert is due, and whether its limits allow it.
import type { BlockTime } from './block-times.ts';
import type { PlannerState } from './planned-row.ts';
import type { Insert, ProgrammeRules } from './programme-rules.ts';

/** A time between two rows. */
export interface BetweenRows {
  /** The block that decides. */
  readonly time: BlockTime;
  readonly state: PlannerState;
  /** Unix time in ms. */
  readonly nowMs: number;
  readonly zone: ZoneOffsets;
}

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const minuteMs = 60_000;
/** Far below one frame, in ms. */
const rounding = 1e-6;

/** The first insert whose break is due; null: an item follows. */
export function dueInsert(rules: ProgrammeRules, between: BetweenRows): Insert | null {
  return rules.inserts.find((insert) => isDue(insert, between) && isAllowed(insert, rules, between)) ?? null;
}

function isDue({ id, when }: Insert, { time, state, nowMs, zone }: BetweenRows): boolean {
  if ('midRoll' in when) return false;
  const { itemsSince = state.items, beganMs = [] } = state.breaks[id] ?? {};
  const lastMs = beganMs.at(-1) ?? -Infinity;
  if ('beforeBlockID' in when) {
    const isPlaying = state.blocks[time.block.id]?.occurrenceMs === time.occurrenceMs;
    return when.beforeBlockID === time.block.id && lastMs < time.occurrenceMs && !isPlaying;
  }
  // A break follows an item, however often breaks are due.
  if (itemsSince === 0) return false;
  if ('everyItems' in when) return itemsSince >= when.everyItems;
  if ('everyMinutes' in when) return nowMs - lastMs >= when.everyMinutes * minuteMs - rounding;
  if ('atMinutes' in when) return lastClockMs(when.atMinutes, nowMs, zone) > (state.last?.startMs ?? nowMs - 1);
  return state.last?.blockID === when.afterBlockID && when.afterBlockID !== time.block.id;
}

/** Whether the limits of an insert, and of all inserts, allow a break. */
export function isAllowed(
  { id, mostPerHour, shortestGapMinutes }: Insert,
  { insertSecondsPerHour }: ProgrammeRules,
  { state, nowMs }: Pick<BetweenRows, 'state' | 'nowMs'>,
): boolean {
  const { beganMs = [], endMs = -Infinity } = state.breaks[id] ?? {};
  const isRecent = (ms: number) => ms > nowMs - hourMs;
  const seconds = state.inserted.reduce((sum, [ms, each]) => (isRecent(ms) ? sum + each : sum), 0);
  return (
    (mostPerHour === null || beganMs.filter(isRecent).length < mostPerHour) &&
    nowMs - endMs >= shortestGapMinutes * minuteMs - rounding &&
    (insertSecondsPerHour === null || seconds < insertSecondsPerHour)
  );
}

/** The last time at or before another one that has one of these minutes of a local hour, in Unix times in ms. */
function lastClockMs(minutes: readonly number[], ms: number, zone: ZoneOffsets): number {
  const offsetMs = zone.offsetMsAt(ms);
  const hour = Math.floor((ms + offsetMs) / hourMs) * hourMs - offsetMs;
  const times = minutes.flatMap((minute) => [hour + minute * minuteMs, hour - hourMs + minute * minuteMs]);
  return Math.max(...times.filter((each) => each <= ms + rounding));
}

/** The offsets of a time zone from UTC. Each one is found once. */
export class ZoneOffsets {
  readonly #format: Intl.DateTimeFormat;
  /** By half hours of Unix time: clocks change at none but these. */
  readonly #known = new Map<number, number>();

  constructor(timeZone: string) {
    this.#format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  }

  /** @returns ms */
  offsetMsAt(ms: number): number {
    const halfHour = Math.floor((2 * ms) / hourMs);
    const known = this.#known.get(halfHour);
    if (known !== undefined) return known;
    const name = this.#format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d+):(\d+)/u.exec(name) ?? [];
    const offsetMs = (Number(hours) * 60 + Number(minutes)) * minuteMs * (sign === '-' ? -1 : 1);
    this.#known.set(halfHour, offsetMs);
    return offsetMs;
  }

  /** The midnight that begins the day of a time, by the offset at that time. @returns Unix time in ms */
  midnightMsBefore(ms: number): number {
    const offsetMs = this.offsetMsAt(ms);
    return Math.floor((ms + offsetMs) / dayMs) * dayMs - offsetMs;
  }
}

// Changes the hours of a block in a week: to another time or day, or by one of its edges. Times snap to five minutes.
import { dayMinutes, minutesOf, weekdays } from '../../domain/shared/wall-clock.ts';
import type { Shift } from '../app/week-drag.ts';
import { beginsOn, daysOf, ruleOfDays, weekdayOf } from './rules.ts';
import type { Block } from './rules.ts';

/** The part that is held: the whole block, or one edge, so that the other one keeps its time. */
export type HeldPart = 'whole' | 'start' | 'end';

export const stepMinutes = 5;
const mostMinutes = 7 * dayMinutes;

const within = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value));

/** A time of the day, such as 20:05. @param minutes since midnight */
export const clockOf = (minutes: number) =>
  [Math.floor(minutes / 60), minutes % 60].map((each) => String(each).padStart(2, '0')).join(':');

/** A way that is too short for a step leaves a time that is on no step. */
function moved(minutes: number, byMinutes: number): number {
  if (Math.abs(byMinutes) < stepMinutes / 2) return minutes;
  return Math.round((minutes + byMinutes) / stepMinutes) * stepMinutes;
}

/**
 * The block with other hours. All its days have the same hours, so they all move in time, and one of them to another
 * day of its week.
 * @param beginDay the number of the day on which the held occurrence begins
 * @returns the same hours if the rule or the bounds allow no others
 */
export function withHours(block: Block, part: HeldPart, beginDay: number, { days, minutes }: Shift): Block {
  if (block.at === null || block.minutes === null) return block;
  const start = minutesOf(block.at);
  const end = start + block.minutes;
  if (part === 'end') {
    const length = within(moved(end, minutes) - start, stepMinutes, mostMinutes);
    return { ...block, minutes: Math.abs(minutes) < stepMinutes / 2 ? block.minutes : length };
  }
  const latest = part === 'start' ? Math.min(end, dayMinutes) : dayMinutes;
  const from = within(moved(start, minutes), 0, Math.max(start, latest - stepMinutes));
  if (part === 'start') return { ...block, at: clockOf(from), minutes: Math.min(mostMinutes, end - from) };
  return onOtherDay({ ...block, at: clockOf(from) }, beginDay, days);
}

/** The block with one of its days of the week replaced by another one. */
function onOtherDay(block: Block, beginDay: number, days: number): Block {
  const chosen = block.rule === null ? null : daysOf(block.rule);
  const from = weekdayOf(beginDay);
  const to = within(from + days, 0, weekdays.length - 1);
  if (chosen?.every !== 'week' || to === from) return block;
  const [own, other] = [weekdays[from]!, weekdays[to]!];
  const others = new Set(chosen.weekdays.filter((day) => day !== own));
  if (others.has(other)) return block;
  const rule = ruleOfDays({ ...chosen, weekdays: weekdays.filter((day) => day === other || others.has(day)) });
  const changed = { ...block, rule };
  // Its first or last day may be between them.
  return beginsOn(changed, beginDay + to - from) ? changed : block;
}

const hourFields = ['rule', 'at', 'minutes'] as const;

export const hasHoursOf = (block: Block, other: Block) => hourFields.every((field) => block[field] === other[field]);

// The recurrence of a stream as words, such as “Every week on Mon and Fri”.
import { weekdays } from '../../domain/shared/wall-clock.ts';
import type { Weekday } from '../../domain/shared/wall-clock.ts';
import { weekdayName } from '../app/weekdays.tsx';
import { scheduleWords } from '#words/schedule.ts';
import { locale } from '../app/locale.ts';

/** The form's choices for the usual rules. */
export type Repetition = keyof typeof scheduleWords.repetitions;

export interface ReadRule {
  readonly repetition: Repetition;
  readonly days: readonly Weekday[];
}

const list = new Intl.ListFormat(locale, { style: 'long', type: 'conjunction' });
const weekly = /^FREQ=WEEKLY(?:;BYDAY=(?<days>[A-Z]{2}(?:,[A-Z]{2})*))?$/;

/** @param rule null: it starts once */
export function readRule(rule: string | null): ReadRule {
  if (rule === null) return { repetition: 'never', days: [] };
  if (rule === 'FREQ=DAILY') return { repetition: 'daily', days: [] };
  const found = weekly.exec(rule);
  if (!found) return { repetition: 'other', days: [] };
  const named = found.groups?.['days']?.split(',') ?? [];
  return { repetition: 'weekly', days: weekdays.filter((day) => named.includes(day)) };
}

/** @param startAt the start of a run, which gives the day of a rule without days */
export function recurrenceWords(rule: string | null, timeZone: string, startAt: string): string {
  const { repetition, days } = readRule(rule);
  if (repetition === 'never') return scheduleWords.repetitions.never;
  if (repetition === 'daily') return scheduleWords.repetitions.daily;
  if (repetition === 'other') return scheduleWords.byRule(rule!);
  const own = new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone }).format(Date.parse(startAt));
  return scheduleWords.weekly(list.format(days.length > 0 ? days.map(weekdayName) : [own]));
}

/** The hours of a run, such as `20:00–22:00, Europe/Berlin (19:00 here)`. */
export function hoursWords(startAt: string, endAt: string | null, timeZone: string): string {
  const clock = (zone: string) => new Intl.DateTimeFormat(locale, { timeZone: zone, timeStyle: 'short' });
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const there = clock(timeZone).format(Date.parse(startAt));
  const here = clock(own).format(Date.parse(startAt));
  const until = endAt === null ? null : clock(timeZone).format(Date.parse(endAt));
  return scheduleWords.hours(there, until, timeZone, there === here ? null : here);
}

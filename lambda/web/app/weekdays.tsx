// The choice of days of the week, and their names.
import type { ReactNode } from 'react';
import { weekdays } from '../../domain/shared/wall-clock.ts';
import type { Weekday } from '../../domain/shared/wall-clock.ts';
import { locale } from './locale.ts';

const names = new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' });
/** 5 January 1970 was a Monday. */
export const weekdayName = (day: Weekday) => names.format(Date.UTC(1970, 0, 5 + weekdays.indexOf(day)));

interface WeekdaysProps {
  readonly legend: string;
  readonly days: readonly string[];
  /** Called with the chosen days, from Monday on. */
  readonly onChange: (days: readonly Weekday[]) => void;
}

export function Weekdays({ legend, days, onChange }: WeekdaysProps): ReactNode {
  const toggle = (day: Weekday) => onChange(weekdays.filter((each) => (each === day) !== days.includes(each)));
  return (
    <fieldset className="days">
      <legend>{legend}</legend>
      {weekdays.map((day) => (
        <label key={day}>
          <input type="checkbox" checked={days.includes(day)} onChange={() => toggle(day)} />
          {weekdayName(day)}
        </label>
      ))}
    </fieldset>
  );
}

// The hours in which an input takes over by itself: one stretch of hours of some days.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { weekdays } from '../../domain/shared/wall-clock.ts';
import type { Weekday } from '../../domain/shared/wall-clock.ts';
import type { LiveInput } from '../app/types.ts';
import { Weekdays } from '../app/weekdays.tsx';
import { Field } from '../form.tsx';
import { liveWords } from '#words/live.ts';

type Windows = NonNullable<LiveInput['windows']>;

/** Several stretches are made by the API, and stay as they are. */
export function TakeWindows({ windows }: { readonly windows: Windows | null }): ReactNode {
  const [hours = null, ...others] = windows?.hours ?? [];
  const [days, setDays] = useState<readonly Weekday[]>(hours?.days ?? weekdays);
  if (others.length > 0) return <p className="hint">{liveWords.severalWindows}</p>;
  return (
    <>
      <Weekdays legend={liveWords.windowDays} days={days} onChange={setDays} />
      <input type="hidden" name="windowDays" value={days.join(' ')} />
      <Field name="windowFrom" label={liveWords.windowFrom} type="time" defaultValue={hours?.from ?? '20:00'} />
      <Field
        name="windowTo"
        label={liveWords.windowTo}
        hint={liveWords.windowHint(windows?.timeZone ?? ownZone())}
        type="time"
        defaultValue={hours?.to ?? '22:00'}
      />
    </>
  );
}

/** The windows in the fields of a form; undefined: the form has none, and they stay. */
export function windowsOf(
  { windowDays, windowFrom, windowTo }: Readonly<Record<string, string>>,
  before: Windows | null,
): Windows | undefined {
  if (windowDays === undefined) return undefined;
  const days = windowDays.split(' ').filter((day): day is Weekday => (weekdays as readonly string[]).includes(day));
  return { timeZone: before?.timeZone ?? ownZone(), hours: [{ days, from: windowFrom!, to: windowTo! }] };
}

const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

// The schedule: a week of starts as the API computes them, waiting streams, and a form to schedule more.
import type { ReactNode } from 'react';
import { serviceNow } from '../app/api.ts';
import { formatMoment } from '../app/format.ts';
import { useLive } from '../app/live-data.ts';
import { Loaded } from '../app/loaded.tsx';
import { setParameter, useParameter } from '../app/router.tsx';
import type { Occurrence } from '../app/types.ts';
import { words } from '../words/en.ts';
import { DayOfWeek } from './day-of-week.tsx';
import { PlanForm } from './plan-form.tsx';
import { ScheduledStreams } from './scheduled-streams.tsx';
import { weekOf } from './zoned-time.ts';

interface Occurrences {
  readonly data: readonly Occurrence[];
  readonly to: string;
}

const everyMs = 60_000;

export function SchedulePage(): ReactNode {
  const asked = new Date(`${useParameter('week')}T12:00`);
  const week = weekOf(Number.isNaN(asked.getTime()) ? new Date(serviceNow()) : asked);
  const [from, to] = [week[0]!.from.toISOString(), week[6]!.to.toISOString()];
  const path = `/schedule/occurrences?from=${from}&to=${to}`;
  const occurrences = useLive<Occurrences>(path, everyMs);
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const go = (days: number) => {
    const day = new Date(week[0]!.from.getFullYear(), week[0]!.from.getMonth(), week[0]!.from.getDate() + days);
    const two = (value: number) => String(value).padStart(2, '0');
    setParameter('week', `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`);
  };
  return (
    <div className="screen">
      <div className="heading">
        <h1>{words.schedule.title}</h1>
        <p className="buttons">
          <button type="button" onClick={() => go(-7)}>
            {words.schedule.before}
          </button>
          <button type="button" onClick={() => setParameter('week', '')}>
            {words.schedule.thisWeek}
          </button>
          <button type="button" onClick={() => go(7)}>
            {words.schedule.after}
          </button>
        </p>
      </div>
      <p className="hint">{words.schedule.zone(zone)}</p>
      <Loaded live={occurrences} path={path}>
        {({ data, to: shownTo }) => (
          <>
            {shownTo !== to && <p className="notice">{words.schedule.cut(formatMoment(shownTo))}</p>}
            <div className="week">
              {week.map((day, index) => (
                <DayOfWeek
                  key={day.from.toISOString()}
                  day={day}
                  occurrences={data.filter(({ startAt }) => {
                    const start = new Date(startAt);
                    return start < day.to && (start >= day.from || index === 0);
                  })}
                />
              ))}
            </div>
          </>
        )}
      </Loaded>
      <ScheduledStreams />
      <PlanForm />
    </div>
  );
}

// The schedule: a week of runs as the API computes them, and the scheduled streams. Dialogs change them.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { call, serviceNow } from '../app/api.ts';
import { formatMoment } from '../app/format.ts';
import { useLive } from '../app/live-data.ts';
import { Loaded } from '../app/loaded.tsx';
import { setParameter, useParameter } from '../app/router.tsx';
import type { Occurrence, Stream } from '../app/types.ts';
import { scheduleWords } from '#words/schedule.ts';
import { PlanSheet } from './plan-sheet.tsx';
import { RunSheet } from './run-sheet.tsx';
import { ScheduledStreams } from './scheduled-streams.tsx';
import { Week } from './week.tsx';
import { weekOf } from './zoned-time.ts';

interface Occurrences {
  readonly data: readonly Occurrence[];
  readonly to: string;
}

const everyMs = 60_000;

/** The dialog on the screen: a run, or the schedule of a stream, with a new start if it was dragged. */
type Shown = { readonly run: Occurrence } | { readonly edited: Stream | null; readonly start?: Date };

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
  const [shown, setShown] = useState<Shown | null>(null);
  const close = () => setShown(null);
  const move = async (run: Occurrence, start: Date): Promise<void> => {
    setShown({ edited: await call<Stream>('GET', `/streams/${run.streamID}`), start });
  };
  return (
    <div className="screen">
      <div className="heading">
        <h1>{scheduleWords.title}</h1>
        <p className="buttons">
          <button type="button" onClick={() => go(-7)}>
            {scheduleWords.before}
          </button>
          <button type="button" onClick={() => setParameter('week', '')}>
            {scheduleWords.thisWeek}
          </button>
          <button type="button" onClick={() => go(7)}>
            {scheduleWords.after}
          </button>
          <button type="button" className="primary" onClick={() => setShown({ edited: null })}>
            {scheduleWords.plan}
          </button>
        </p>
      </div>
      <p className="hint">
        {scheduleWords.zone(zone)} <span className="for-pointers">{scheduleWords.drag}</span>
      </p>
      <Loaded live={occurrences} path={path}>
        {({ data, to: shownTo }) => (
          <>
            {shownTo !== to && <p className="notice">{scheduleWords.cut(formatMoment(shownTo))}</p>}
            <Week
              week={week}
              runs={data}
              onOpen={(run) => setShown({ run })}
              onMove={(run, start) => void move(run, start)}
            />
          </>
        )}
      </Loaded>
      <ScheduledStreams onEdit={(edited) => setShown({ edited })} />
      {shown && 'run' in shown && (
        <RunSheet run={shown.run} onEdit={(edited) => setShown({ edited })} onClose={close} />
      )}
      {shown && 'edited' in shown && <PlanSheet stream={shown.edited} start={shown.start} onClose={close} />}
    </div>
  );
}

// The week of the schedule: each run at its hours. A run opens by a click, and can be dragged to another time.
import { useState } from 'react';
import type { CSSProperties, ReactNode } from 'react';
import { dayMinutes } from '../../domain/shared/wall-clock.ts';
import { serviceNow } from '../app/api.ts';
import { formatMoment } from '../app/format.ts';
import type { Occurrence } from '../app/types.ts';
import { dragInWeek } from '../app/week-drag.ts';
import type { Shift } from '../app/week-drag.ts';
import { nameOf } from '../streams/stream-name.ts';
import { scheduleWords } from '#words/schedule.ts';
import { locale } from '../app/locale.ts';
import { piecesOf } from './runs.ts';
import type { Piece } from './runs.ts';
import { hoursSkipped } from './zoned-time.ts';
import type { Day } from './zoned-time.ts';

const dayNames = new Intl.DateTimeFormat(locale, { weekday: 'short', day: 'numeric', month: 'short' });
const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
const hours = new Intl.DateTimeFormat(locale, { hour: 'numeric' });
const shownHours = [0, 6, 12, 18];
const minuteMs = 60_000;
const stepMinutes = 15;

interface WeekProps {
  readonly week: readonly Day[];
  /** In the order of their starts. */
  readonly runs: readonly Occurrence[];
  readonly onOpen: (run: Occurrence) => void;
  /** Called with the new start of a dragged run. */
  readonly onMove: (run: Occurrence, start: Date) => void;
}

export function Week({ week, runs, onOpen, onMove }: WeekProps): ReactNode {
  return (
    <div className="hours schedule">
      <div className="clock" aria-hidden="true">
        {shownHours.map((hour) => (
          <span key={hour}>{hours.format(new Date(2026, 0, 1, hour))}</span>
        ))}
      </div>
      {week.map((day) => (
        <DayColumn key={day.from.toISOString()} day={day} runs={runs} onOpen={onOpen} onMove={onMove} />
      ))}
    </div>
  );
}

interface DayColumnProps extends Pick<WeekProps, 'runs' | 'onOpen' | 'onMove'> {
  readonly day: Day;
}

function DayColumn({ day, runs, onOpen, onMove }: DayColumnProps): ReactNode {
  const id = `day-${day.from.getTime()}`;
  const skipped = hoursSkipped(day);
  const now = serviceNow();
  const pieces = piecesOf(day, runs);
  const isToday = day.from.getTime() <= now && now < day.to.getTime();
  return (
    <div className="day" role="group" aria-labelledby={id} aria-current={isToday ? 'date' : undefined}>
      <h2 id={id}>{dayNames.format(day.from)}</h2>
      {skipped !== 0 && <p className="hint">{skipped > 0 ? scheduleWords.forward : scheduleWords.back}</p>}
      <div className="times">
        {pieces.length === 0 && <p className="hint">{scheduleWords.empty}</p>}
        {pieces.map((piece) => (
          <Run
            key={`${piece.run.streamID} ${piece.run.startAt}`}
            piece={piece}
            onOpen={() => onOpen(piece.run)}
            onMove={(start) => onMove(piece.run, start)}
          />
        ))}
      </div>
    </div>
  );
}

interface RunProps {
  readonly piece: Piece;
  readonly onOpen: () => void;
  readonly onMove: (start: Date) => void;
}

function Run({ piece, onOpen, onMove }: RunProps): ReactNode {
  const { run, isBeginning } = piece;
  const start = new Date(run.startAt);
  const isMovable = isBeginning && start.getTime() > serviceNow();
  const [moved, setMoved] = useState<Shift | null>(null);
  // The keyboard opens the run, whose form has its times.
  const drag = {
    onDrag: (shift: Shift | null) => setMoved(shift && rounded(shift)),
    onDrop: (shift: Shift) => {
      const { days, minutes } = rounded(shift);
      const [year, month, day] = [start.getFullYear(), start.getMonth(), start.getDate()];
      if (days !== 0 || minutes !== 0)
        onMove(new Date(year, month, day + days, start.getHours(), start.getMinutes() + minutes));
    },
  };
  const name = nameOf({ name: run.streamName });
  const until = run.endAt === null ? scheduleWords.open : scheduleWords.until(formatMoment(run.endAt));
  const begin = isBeginning ? clock.format(start.getTime() + (moved?.minutes ?? 0) * minuteMs) : scheduleWords.running;
  return (
    <button
      type="button"
      style={placeOf(piece, moved)}
      data-skipped={run.isSkipped}
      data-held={moved !== null}
      title={`${name}, ${formatMoment(run.startAt)}, ${until}`}
      onPointerDown={(event) => isMovable && dragInWeek(event, drag)}
      onClick={onOpen}
    >
      <strong>{name}</strong> <span>{begin}</span>
      {run.isSkipped && <span> {scheduleWords.skipped}</span>}
    </button>
  );
}

const rounded = ({ days, minutes }: Shift): Shift => ({
  days,
  minutes: Math.round(minutes / stepMinutes) * stepMinutes,
});

/** The place of a piece in its day. A narrow screen lists runs instead, so the style sheet decides. */
function placeOf({ from, until, lane, lanes }: Piece, moved: Shift | null): CSSProperties {
  const percent = (share: number) => `${share * 100}%`;
  const place = {
    '--from': percent(from + (moved?.minutes ?? 0) / dayMinutes),
    '--length': percent(until - from),
    '--indent': percent(lane / lanes),
    '--width': percent(1 / lanes),
    translate: moved ? `${moved.days * 100 * lanes}% 0` : undefined,
  };
  return place;
}

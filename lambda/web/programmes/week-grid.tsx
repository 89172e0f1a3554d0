// A week of a programme: its blocks as rectangles, which open their forms.
import { useState } from 'react';
import type { CSSProperties, ReactNode } from 'react';
import { serviceNow } from '../app/api.ts';
import { localIn } from '../schedule/zoned-time.ts';
import { programmeWords as words } from '#words/programmes.ts';
import { locale } from '../app/locale.ts';
import { dateWords } from './rule-words.tsx';
import { beginsOn, dayMs, dayNumber, dayOfNumber, weekdayOf } from './rules.ts';
import type { Block, Rules } from './rules.ts';
import { rectanglesOf } from './week.ts';
import type { Rectangle } from './week.ts';

interface WeekGridProps {
  readonly rules: Rules;
  readonly onOpen: (block: Block) => void;
}

const dayNames = new Intl.DateTimeFormat(locale, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});
const shownHours = [0, 6, 12, 18];

export function WeekGrid({ rules: { blocks, timeZone }, onOpen }: WeekGridProps): ReactNode {
  const today = dayNumber(localIn(timeZone, serviceNow()).slice(0, 10));
  const [weeks, setWeeks] = useState(0);
  const monday = today - weekdayOf(today) + 7 * weeks;
  const rectangles = rectanglesOf(blocks, monday);
  const always = blocks.filter(({ rule }) => rule === null);
  const others = blocks.filter((block) => block.rule !== null && beginsOn(block, monday) === null);
  return (
    <section aria-labelledby="week">
      <div className="heading">
        <h2 id="week">{words.week}</h2>
        <p className="buttons">
          <button type="button" onClick={() => setWeeks(weeks - 1)}>
            {words.weekBefore}
          </button>
          <button type="button" onClick={() => setWeeks(0)}>
            {words.thisWeek}
          </button>
          <button type="button" onClick={() => setWeeks(weeks + 1)}>
            {words.weekAfter}
          </button>
        </p>
      </div>
      <p className="hint" role="status">
        {words.weekOf(dateWords(dayOfNumber(monday)))}. {words.zoneText(timeZone)} {words.weekHint}
      </p>
      {always.length > 0 && (
        <p className="always">
          {words.alwaysOn}{' '}
          {always.map((block) => (
            <button key={block.id} type="button" onClick={() => onOpen(block)}>
              {nameOf(block)}
            </button>
          ))}
        </p>
      )}
      <div className="hours" data-behind={always.length > 0}>
        <div className="clock" aria-hidden="true">
          {shownHours.map((hour) => (
            <span key={hour}>{clock(hour * 60)}</span>
          ))}
        </div>
        {Array.from({ length: 7 }, (_, day) => (
          <DayColumn
            key={day}
            day={monday + day}
            isToday={monday + day === today}
            rectangles={rectangles.filter((each) => each.day === day)}
            onOpen={onOpen}
          />
        ))}
      </div>
      {others.length > 0 && (
        <p className="always">
          {words.notShown}{' '}
          {others.map((block) => (
            <button key={block.id} type="button" onClick={() => onOpen(block)}>
              {nameOf(block)}
            </button>
          ))}
        </p>
      )}
    </section>
  );
}

interface DayColumnProps {
  /** The number of the day. */
  readonly day: number;
  readonly isToday: boolean;
  readonly rectangles: readonly Rectangle[];
  readonly onOpen: (block: Block) => void;
}

function DayColumn({ day, isToday, rectangles, onOpen }: DayColumnProps): ReactNode {
  return (
    <div className="day" role="group" aria-labelledby={`day-${day}`} aria-current={isToday ? 'date' : undefined}>
      <h3 id={`day-${day}`}>{dayNames.format(day * dayMs)}</h3>
      <div className="times">
        {rectangles.length === 0 && <p className="hint">{words.emptyDay}</p>}
        {rectangles.map((each) => (
          <button
            key={`${each.block.id} ${each.from}`}
            type="button"
            style={placeOf(each)}
            title={`${each.block.name}, ${timesOf(each)}`}
            onClick={() => onOpen(each.block)}
          >
            <strong>{each.block.name}</strong> <span>{timesOf(each)}</span>
          </button>
        ))}
      </div>
    </div>
  );
}

const dayMinutes = 1440;
/** A rectangle in front leaves the edge of those behind it visible. */
const indentPercent = 16;
const mostIndents = 3;

/** The place of a rectangle in its day. A narrow screen lists rectangles instead, so the style sheet decides. */
function placeOf({ from, until, depth }: Rectangle): CSSProperties {
  const percentOf = (minutes: number) => `${(minutes / dayMinutes) * 100}%`;
  const indent = `${Math.min(depth, mostIndents) * indentPercent}%`;
  const place = { '--from': percentOf(from), '--length': percentOf(until - from), '--indent': indent, zIndex: depth };
  return place;
}

const clock = (minutes: number) =>
  [Math.floor(minutes / 60), minutes % 60].map((each) => String(each).padStart(2, '0')).join(':');

function timesOf({ block, from, until, isBeginning }: Rectangle): string {
  const times = words.inDay(clock(from), clock(until));
  return [times, !isBeginning && words.continued, block.liveInputID && words.liveMark].filter(Boolean).join(', ');
}

function nameOf({ name, liveInputID }: Block): string {
  return liveInputID === null ? name : `${name}, ${words.liveMark}`;
}

// A week of a programme: its blocks as rectangles, which open their forms, and whose hours can be changed in place.
import { Undo2 } from 'lucide-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { serviceNow } from '../app/api.ts';
import { localIn } from '../schedule/zoned-time.ts';
import { programmeWords as words } from '#words/programmes.ts';
import { clockOf } from './block-hours.ts';
import { dateWords, hoursWords } from './rule-words.tsx';
import { beginsOn, dayNumber, dayOfNumber, weekdayOf } from './rules.ts';
import type { Block, Rules } from './rules.ts';
import { useWeekEdits } from './use-week-edits.ts';
import { DayColumn } from './week-day.tsx';
import { rectanglesOf } from './week.ts';

interface WeekGridProps {
  readonly rules: Rules;
  readonly onOpen: (block: Block) => void;
  /** Receives a block whose hours were changed in the week. */
  readonly onChange: (block: Block) => void;
}

const shownHours = [0, 6, 12, 18];

export function WeekGrid({ rules: { blocks, timeZone }, onOpen, onChange }: WeekGridProps): ReactNode {
  const today = dayNumber(localIn(timeZone, serviceNow()).slice(0, 10));
  const [weeks, setWeeks] = useState(0);
  const monday = today - weekdayOf(today) + 7 * weeks;
  const edits = useWeekEdits(blocks, onChange);
  const { last } = edits;
  const rectangles = rectanglesOf(edits.shown, monday);
  const always = blocks.filter(({ rule }) => rule === null);
  const others = blocks.filter((block) => block.rule !== null && beginsOn(block, monday) === null);
  return (
    <section aria-labelledby="week">
      <div className="heading">
        <h2 id="week">{words.week}</h2>
        <p className="buttons">
          {last && (
            <button type="button" onClick={edits.undo}>
              <Undo2 aria-hidden />
              {words.undo}
            </button>
          )}
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
        {words.weekOf(dateWords(dayOfNumber(monday)))}. {words.zoneText(timeZone)} {words.weekHint}{' '}
        <span className="for-pointers">{words.weekKeys}</span>
      </p>
      <p className="hidden" role="status">
        {last && `${last.name}: ${hoursWords(last)}`}
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
            <span key={hour}>{clockOf(hour * 60)}</span>
          ))}
        </div>
        {Array.from({ length: 7 }, (_, day) => (
          <DayColumn
            key={day}
            monday={monday}
            day={day}
            isToday={monday + day === today}
            rectangles={rectangles.filter((each) => each.day === day)}
            edits={edits}
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

function nameOf({ name, liveInputID }: Block): string {
  return liveInputID === null ? name : `${name}, ${words.liveMark}`;
}

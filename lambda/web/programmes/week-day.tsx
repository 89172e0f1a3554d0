// A day of a programme's week: its blocks as rectangles, with edges to drag and a menu.
import {
  ArrowDownToLine,
  ArrowLeft,
  ArrowRight,
  ArrowUpToLine,
  FoldVertical,
  Pencil,
  UnfoldVertical,
} from 'lucide-react';
import type { CSSProperties, ReactNode } from 'react';
import { dayMinutes } from '../../domain/shared/wall-clock.ts';
import { locale } from '../app/locale.ts';
import type { Shift } from '../app/week-drag.ts';
import { ActionsMenu } from '../kit/actions-menu.tsx';
import type { Action } from '../kit/actions-menu.tsx';
import { programmeWords as words } from '#words/programmes.ts';
import { clockOf } from './block-hours.ts';
import type { HeldPart } from './block-hours.ts';
import { dayMs } from './rules.ts';
import type { Block } from './rules.ts';
import type { WeekEdits } from './use-week-edits.ts';
import type { Rectangle } from './week.ts';

const dayNames = new Intl.DateTimeFormat(locale, {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});

interface DayColumnProps {
  /** The number of the week's first day. */
  readonly monday: number;
  /** The day of the week, from 0. */
  readonly day: number;
  readonly isToday: boolean;
  readonly rectangles: readonly Rectangle[];
  readonly edits: WeekEdits;
  readonly onOpen: (block: Block) => void;
}

export function DayColumn({ monday, day, isToday, rectangles, edits, onOpen }: DayColumnProps): ReactNode {
  const name = dayNames.format((monday + day) * dayMs);
  return (
    <div className="day" role="group" aria-labelledby={`day-${day}`} aria-current={isToday ? 'date' : undefined}>
      <h3 id={`day-${day}`}>{name}</h3>
      <div className="times">
        {rectangles.length === 0 && <p className="hint">{words.emptyDay}</p>}
        {rectangles.map((each) => (
          <Slot
            key={`${each.block.id} ${each.beginDay}`}
            rectangle={each}
            beginDay={monday + each.beginDay}
            dayName={name}
            edits={edits}
            onOpen={() => onOpen(each.block)}
          />
        ))}
      </div>
    </div>
  );
}

interface SlotProps {
  readonly rectangle: Rectangle;
  /** The number of the day on which the block begins. */
  readonly beginDay: number;
  readonly dayName: string;
  readonly edits: WeekEdits;
  readonly onOpen: () => void;
}

const keys = 'ArrowUp ArrowDown ArrowLeft ArrowRight Shift+ArrowUp Shift+ArrowDown';

function Slot({ rectangle, beginDay, dayName, edits, onOpen }: SlotProps): ReactNode {
  const { block, day, isEnd } = rectangle;
  const occurrence = { block, beginDay };
  const times = timesOf(rectangle);
  const edges = (['start', 'end'] as const).filter((part) => (part === 'start' ? rectangle.beginDay === day : isEnd));
  return (
    <div
      className="slot"
      style={placeOf(rectangle)}
      data-held={edits.heldID === block.id}
      onContextMenu={(event) => {
        event.preventDefault();
        event.currentTarget.querySelector<HTMLElement>('[aria-haspopup]')!.click();
      }}
    >
      <button
        type="button"
        title={`${block.name}, ${times}`}
        aria-keyshortcuts={keys}
        data-occurrence={edits.nameOf(occurrence)}
        onPointerDown={(event) => edits.hold(event, occurrence, 'whole')}
        onKeyDown={(event) => edits.press(event, occurrence)}
        onClick={onOpen}
      >
        <strong>{block.name}</strong> <span>{times}</span>
      </button>
      {edges.map((part) => (
        <span
          key={part}
          className="edge"
          data-edge={part}
          aria-hidden="true"
          onPointerDown={(event) => edits.hold(event, occurrence, part)}
        />
      ))}
      <ActionsMenu
        label={words.hoursOf(block.name, dayName)}
        isGhost
        actions={[
          { icon: Pencil, name: words.openBlock, onAction: onOpen },
          ...menuSteps.map(([icon, name, part, shift]): Action => ({
            icon,
            name: words.moves[name],
            isDisabled: edits.changed(occurrence, part, shift) === null,
            onAction: () => edits.change(occurrence, part, shift),
          })),
        ]}
      />
    </div>
  );
}

const quarter = 15;
type MenuStep = readonly [icon: Action['icon'], name: keyof typeof words.moves, part: HeldPart, shift: Shift];
const menuSteps: readonly MenuStep[] = [
  [ArrowUpToLine, 'earlier', 'whole', { days: 0, minutes: -quarter }],
  [ArrowDownToLine, 'later', 'whole', { days: 0, minutes: quarter }],
  [UnfoldVertical, 'longer', 'end', { days: 0, minutes: quarter }],
  [FoldVertical, 'shorter', 'end', { days: 0, minutes: -quarter }],
  [ArrowLeft, 'dayBefore', 'whole', { days: -1, minutes: 0 }],
  [ArrowRight, 'dayAfter', 'whole', { days: 1, minutes: 0 }],
];

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

function timesOf({ block, day, beginDay, from, until }: Rectangle): string {
  const times = words.inDay(clockOf(from), clockOf(until));
  return [times, beginDay < day && words.continued, block.liveInputID && words.liveMark].filter(Boolean).join(', ');
}

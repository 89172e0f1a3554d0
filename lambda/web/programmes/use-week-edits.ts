// Edits of blocks in the week by pointer, keys and menu: their preview during a drag, and how they are undone.
import { useLayoutEffect, useRef, useState } from 'react';
import type { KeyboardEvent, PointerEvent } from 'react';
import { dragInWeek } from '../app/week-drag.ts';
import type { Shift } from '../app/week-drag.ts';
import { hasHoursOf, stepMinutes, withHours } from './block-hours.ts';
import type { HeldPart } from './block-hours.ts';
import type { Block } from './rules.ts';

interface Edit {
  readonly before: Occurrence;
  readonly after: Block;
}

/** An occurrence of a block in the week. */
export interface Occurrence {
  readonly block: Block;
  /** The number of the day on which it begins. */
  readonly beginDay: number;
}

export interface WeekEdits {
  /** The blocks, with the hours of a block that is being dragged. */
  readonly shown: readonly Block[];
  /** The id of the block that is being dragged. */
  readonly heldID: string | null;
  /** The block whose hours were changed last; null: none, or its hours were changed elsewhere since. */
  readonly last: Block | null;
  readonly undo: () => void;
  readonly hold: (event: PointerEvent<HTMLElement>, occurrence: Occurrence, part: HeldPart) => void;
  /** The arrow keys move a block, and its end with Shift. Ctrl Z undoes the last edit. */
  readonly press: (event: KeyboardEvent<HTMLElement>, occurrence: Occurrence) => void;
  /** The block after a change; null: the change is not possible. */
  readonly changed: (occurrence: Occurrence, part: HeldPart, shift: Shift) => Block | null;
  readonly change: (occurrence: Occurrence, part: HeldPart, shift: Shift) => void;
  /** The name of the element of an occurrence, in `data-occurrence`: the focus follows it to another day. */
  readonly nameOf: (occurrence: Occurrence) => string;
}

const waysOfKeys: Readonly<Record<string, Shift>> = {
  ArrowUp: { days: 0, minutes: -stepMinutes },
  ArrowDown: { days: 0, minutes: stepMinutes },
  ArrowLeft: { days: -1, minutes: 0 },
  ArrowRight: { days: 1, minutes: 0 },
};

const nameOf = ({ block, beginDay }: Occurrence) => `${block.id} ${beginDay}`;

/** @param onChange receives a block with other hours */
export function useWeekEdits(blocks: readonly Block[], onChange: (block: Block) => void): WeekEdits {
  const [held, setHeld] = useState<Block | null>(null);
  const [edits, setEdits] = useState<readonly Edit[]>([]);
  const focused = useRef<string | null>(null);
  const latest = useRef({ blocks, onChange });
  useLayoutEffect(() => {
    latest.current = { blocks, onChange };
    if (focused.current === null) return;
    document.querySelector<HTMLElement>(`[data-occurrence="${CSS.escape(focused.current)}"]`)?.focus();
    focused.current = null;
  });
  const changed = ({ block, beginDay }: Occurrence, part: HeldPart, shift: Shift): Block | null => {
    const after = withHours(block, part, beginDay, shift);
    return hasHoursOf(after, block) ? null : after;
  };
  const change = (occurrence: Occurrence, part: HeldPart, shift: Shift): void => {
    const after = changed(occurrence, part, shift);
    if (after === null) return;
    const { block, beginDay } = occurrence;
    setEdits((former) => [...former, { before: occurrence, after }]);
    if (block.rule !== after.rule) focused.current = nameOf({ block, beginDay: beginDay + shift.days });
    latest.current.onChange(after);
  };
  const edit = edits.at(-1);
  const last = blocks.find((block) => edit && block.id === edit.after.id && hasHoursOf(block, edit.after)) ?? null;
  const undo = (): void => {
    if (!edit || last === null) return;
    const { rule, at, minutes } = edit.before.block;
    setEdits(edits.slice(0, -1));
    focused.current = nameOf(edit.before);
    onChange({ ...last, rule, at, minutes });
  };
  return {
    shown: blocks.map((block) => (block.id === held?.id ? held : block)),
    heldID: held?.id ?? null,
    last,
    undo,
    hold: (event, occurrence, part) =>
      dragInWeek(event, {
        onDrag: (shift) => setHeld(shift && withHours(occurrence.block, part, occurrence.beginDay, shift)),
        onDrop: (shift) => change(occurrence, part, shift),
      }),
    press: (event, occurrence) => {
      const isUndo = event.key === 'z' && (event.ctrlKey || event.metaKey);
      const shift = event.ctrlKey || event.metaKey || event.altKey ? undefined : waysOfKeys[event.key];
      if (!isUndo && !shift) return;
      event.preventDefault();
      if (shift) change(occurrence, event.shiftKey ? 'end' : 'whole', shift);
      else undo();
    },
    changed,
    change,
    nameOf,
  };
}

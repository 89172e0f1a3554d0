// The items of a break: the inserts with their intro and outro.
import { cursorOfInsert } from './cursor-names.ts';
import { cursorAt } from './planned-row.ts';
import type { PlannerState } from './planned-row.ts';
import { moveCursor } from './cursors.ts';
import type { Candidate, Cursor } from './cursors.ts';
import type { PlannedSources } from './planned-sources.ts';
import type { Insert } from './programme-rules.ts';

/** An item of a break, with the name of the cursor that it moves. */
export interface BreakItem extends Candidate {
  readonly cursor: string;
}

/** The items of the next break of an insert, in their order. The state is not changed. None: nothing can be played. */
export function* itemsOfBreak(
  insert: Insert,
  sources: PlannedSources,
  cursors: PlannerState['cursors'],
): Generator<BreakItem> {
  if (!sources.canPlay(insert.from)) return;
  const framing = (uploadID: string | null) => (uploadID === null ? [] : [{ uploadID }]);
  const parts = [
    ...framing(insert.introUploadID),
    ...Array.from({ length: insert.perBreak }, () => insert.from),
    ...framing(insert.outroUploadID),
  ].filter((from) => sources.canPlay(from));
  const positions = new Map<string, Cursor>();
  for (const from of parts) {
    const cursor = cursorOfInsert(insert, from);
    const position = positions.get(cursor) ?? structuredClone(cursorAt(cursors, cursor, 0));
    positions.set(cursor, position);
    const [candidate] = sources.candidates(from, position);
    if (candidate === undefined) continue;
    moveCursor(position, candidate.item.uploadID, candidate.move);
    yield { ...candidate, cursor };
  }
}

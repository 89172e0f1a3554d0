// The items of a break: the inserts with their intro and outro.
import { cursorOfInsert } from './cursor-names.ts';
import { cursorAt } from './planned-row.ts';
import type { PlannerState } from './planned-row.ts';
import { moveCursor } from './cursors.ts';
import type { Available, Candidate, CollectionWalk, Cursor } from './cursors.ts';
import type { Insert, ItemSource } from './programme-rules.ts';

/** The collections of a plan. */
export interface Members {
  readonly walkOf: (from: ItemSource) => CollectionWalk;
  readonly availableOf: (from: ItemSource) => Available;
  /** Whether a source has a member that is available. */
  readonly canPlay: (from: ItemSource) => boolean;
  readonly cursors: PlannerState['cursors'];
}

/** An item of a break, with the name of the cursor that it moves. */
export interface BreakItem extends Candidate {
  readonly cursor: string;
}

/** The items of the next break of an insert, in their order. The state is not changed. None: nothing can be played. */
export function* itemsOfBreak(
  insert: Insert,
  { walkOf, availableOf, canPlay, cursors }: Members,
): Generator<BreakItem> {
  if (!canPlay(insert.from)) return;
  const framing = (uploadID: string | null) => (uploadID === null ? [] : [{ uploadID }]);
  const sources = [
    ...framing(insert.introUploadID),
    ...Array.from({ length: insert.perBreak }, () => insert.from),
    ...framing(insert.outroUploadID),
  ].filter(canPlay);
  const positions = new Map<string, Cursor>();
  for (const from of sources) {
    const cursor = cursorOfInsert(insert, from);
    const position = positions.get(cursor) ?? structuredClone(cursorAt(cursors, cursor, 0));
    positions.set(cursor, position);
    const [candidate] = walkOf(from).candidates(position, availableOf(from));
    if (candidate === undefined) continue;
    moveCursor(position, candidate.item.uploadID, candidate.move);
    yield { ...candidate, cursor };
  }
}

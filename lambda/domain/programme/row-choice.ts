// The choice of an item for a row, with the facts that the row keeps of it.
import type { Refused } from '../playout/planned-facts.ts';
import type { Candidate } from './cursors.ts';
import type { Room } from './frame-grid.ts';
import type { PlannedRow } from './planned-row.ts';

/** The chosen member of a collection, with the reasons of the choice. */
export interface Choice extends Candidate {
  readonly cursor: string;
  readonly candidates: number;
  readonly refused: readonly Refused[];
  readonly relaxed: readonly number[];
}

/** The block that a row belongs to. */
export type RowOwner = Pick<PlannedRow, 'blockID' | 'occurrenceMs'>;

/** The facts of a row that follow from its rule. */
export type RowSays = RowOwner &
  Pick<
    PlannedRow,
    'kind' | 'stepID' | 'insertID' | 'beginsBreak' | 'queueNumber' | 'part' | 'breakID' | 'itemStartFrame'
  >;

export type RowChoice = Omit<Choice, 'cursor' | 'move'> & Partial<Pick<Choice, 'cursor' | 'move'>>;

export function ownerIn({ time }: Room): RowOwner {
  return { blockID: time?.block.id ?? null, occurrenceMs: time?.occurrenceMs ?? 0 };
}

/** The reasons for an item that is compared with no other one. */
export const onlyOne = { candidates: 1, refused: [], relaxed: [] } as const;

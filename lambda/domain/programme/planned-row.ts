// A row of a plan, and the state of a planner that follows from the rows so far.
// The state is a fold over rows, so a plan continues from any row. Decision D224.
import { moveCursor } from './cursors.ts';
import type { Cursor, CursorMove } from './cursors.ts';
import type { PlannableItem } from './plannable.ts';
import type { Block } from './programme-rules.ts';
import { afterTurn } from './shares.ts';
import type { Turns } from './shares.ts';

export const rowKinds = ['item', 'insert', 'filler'] as const;
export type RowKind = (typeof rowKinds)[number];

/** One playing of an item. */
export interface PlannedRow {
  readonly kind: RowKind;
  readonly item: PlannableItem;
  /** Frames from the anchor of the plan's grid. */
  readonly startFrame: number;
  /** Fewer than the item has if the next row cuts it off. */
  readonly frameCount: number;
  readonly isCutOff: boolean;
  /** Null: filler for a time without a block. */
  readonly blockID: string | null;
  /** The beginning of the block's occurrence, as Unix time in ms; 0 for a block without hours. */
  readonly occurrenceMs: number;
  /** `item`: the step. */
  readonly stepID?: string;
  readonly insertID?: string;
  /** `insert`: whether its break begins with this row. */
  readonly beginsBreak?: true;
  /** The cursor that it moves, by name. */
  readonly cursor?: string;
  readonly move?: CursorMove;
  /** Items that were considered; absent: only this one. */
  readonly candidates?: number;
  /** Members that were passed over, with the places of the separation rules that they would break. */
  readonly refused?: readonly Refused[];
  /** The places of the separation rules that it breaks, as no member meets all. */
  readonly relaxed?: readonly number[];
}

/** A member that was passed over: by separation rules, or because it is too long for the time that is left. */
export interface Refused {
  readonly uploadID: string;
  readonly by: readonly number[] | 'too_long';
}

/** The state of the occurrence of a block. */
interface BlockState {
  readonly occurrenceMs: number;
  /** The step of the last item, and the items of its turn so far. */
  readonly stepID: string;
  readonly played: number;
}

/** The breaks of an insert. Times are Unix times in ms. */
export interface BreakState {
  itemsSince: number;
  /** The beginnings of its breaks within the last hour. */
  readonly beganMs: readonly number[];
  readonly endMs: number;
}

/** The state of a planner at a row. It is JSON, and `applyRow` changes it. */
export interface PlannerState {
  readonly cursors: Record<string, Cursor>;
  /** By block. */
  readonly turns: Record<string, Turns>;
  readonly blocks: Record<string, BlockState>;
  /** By insert. */
  readonly breaks: Record<string, BreakState>;
  /** Items since the beginning; inserts without a break yet count from there. */
  items: number;
  /** The last row; null: there is none. */
  last: { readonly blockID: string | null; readonly startMs: number } | null;
  /** Inserts within the last hour: beginning as Unix time in ms, and seconds. */
  inserted: readonly (readonly [beganMs: number, seconds: number])[];
}

/** The state of a programme that has played nothing. */
export function stateOfBeginning(): PlannerState {
  return { cursors: {}, turns: {}, blocks: {}, breaks: {}, items: 0, last: null, inserted: [] };
}

/** A row with its times, as Unix times in ms. */
export interface TimedRow {
  readonly row: PlannedRow;
  readonly startMs: number;
  readonly endMs: number;
}

const hourMs = 3_600_000;

/** Changes a state by a row. @param block the block of the row; undefined: it has none, or it was removed since */
export function applyRow(state: PlannerState, timed: TimedRow, block: Block | undefined): void {
  const { row, startMs } = timed;
  state.last = { blockID: row.blockID, startMs };
  applyMove(state, row);
  if (row.kind === 'insert') applyInsert(state, timed);
  if (row.kind === 'item') applyItem(state, row, block);
}

function applyMove({ cursors }: PlannerState, { cursor, move, item, occurrenceMs }: PlannedRow): void {
  if (cursor === undefined || move === undefined) return;
  const next = cursorAt(cursors, cursor, occurrenceMs);
  moveCursor(next, item.uploadID, move);
  cursors[cursor] = next;
}

/** The cursor with a name in the occurrence of a block. */
export function cursorAt(cursors: PlannerState['cursors'], name: string, occurrenceMs: number): Cursor {
  const cursor = cursors[name];
  if (!isRerun(name)) return cursor ?? { lap: 0 };
  return cursor?.occurrenceMs === occurrenceMs ? cursor : { lap: 0, occurrenceMs };
}

/** Cursors with this prefix begin again at each occurrence of their block. */
export const rerunPrefix = 'rerun/';
const isRerun = (name: string) => name.startsWith(rerunPrefix);

function applyInsert(state: PlannerState, { row, startMs, endMs }: TimedRow): void {
  const id = row.insertID!;
  const isRecent = (ms: number) => ms > startMs - hourMs;
  const before = state.breaks[id]?.beganMs ?? [];
  const beganMs = row.beginsBreak ? [...before.filter(isRecent), startMs] : before;
  state.breaks[id] = { itemsSince: 0, beganMs, endMs };
  state.inserted = [...state.inserted.filter(([ms]) => isRecent(ms)), [startMs, (endMs - startMs) / 1000]];
}

function applyItem(state: PlannerState, { blockID, occurrenceMs, stepID = '' }: PlannedRow, block?: Block): void {
  state.items++;
  for (const each of Object.values(state.breaks)) each.itemsSince++;
  if (blockID === null) return;
  const last = state.blocks[blockID];
  const isSameTurn = last?.occurrenceMs === occurrenceMs && last.stepID === stepID && !isTurnOver(last, block);
  state.blocks[blockID] = { occurrenceMs, stepID, played: isSameTurn ? last.played + 1 : 1 };
  if (block && !isSameTurn) state.turns[blockID] = afterTurn(block.steps, state.turns[blockID] ?? {}, stepID);
}

/** Whether the turn of a block's last step is over. */
export function isTurnOver(
  { stepID, played }: Pick<BlockState, 'stepID' | 'played'>,
  block: Block | undefined,
): boolean {
  const step = block?.steps.find(({ id }) => id === stepID);
  return step === undefined || played >= step.count;
}

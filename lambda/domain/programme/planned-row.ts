// A row of a plan, and the state of a planner that follows from the rows so far.
// The state is a fold over rows, so a plan continues from any row. Decision D224.
import { isRerun } from './cursor-names.ts';
import { moveCursor } from './cursors.ts';
import type { ItemPart } from '../playout/play-out.ts';
import type { Cursor } from './cursors.ts';
import type { PlannedFacts } from '../playout/planned-facts.ts';
import type { PlannableItem } from './plannable.ts';
import type { Block } from './programme-rules.ts';
import type { HeardItem } from './separation.ts';
import { afterTurn } from './shares.ts';
import type { Turns } from './shares.ts';

/** One playing of an item. */
export interface PlannedRow extends PlannedFacts {
  readonly item: PlannableItem;
  /** Frames from the anchor of the plan's grid. */
  readonly startFrame: number;
  /** Fewer than the item has if the next row cuts it off, or begins while it ends. */
  readonly frameCount: number;
  readonly isCutOff: boolean;
  /** The part of the item that it plays; absent: the whole item. */
  readonly part?: ItemPart;
  /** The longest join to the next row that both have room for, in seconds; absent: a cut. */
  readonly joinSeconds?: number;
}

/** Whether a row continues an item after a break. */
export function continuesItem({ part }: Pick<PlannedRow, 'part'>): boolean {
  return part !== undefined && part.fromSeconds > 0;
}

/** Whether a row is the beginning of an item, and not of a break or of filler. */
function beginsItem(row: PlannedRow): boolean {
  return row.kind !== 'insert' && row.kind !== 'filler' && !continuesItem(row);
}

/** The rest of an item that a break has interrupted. Its facts are those of the item's first row. */
export interface Rest extends Pick<PlannedRow, 'item' | 'kind' | 'blockID' | 'occurrenceMs' | 'stepID'> {
  /** Seconds of the item that have played. */
  readonly fromSeconds: number;
  /** The beginning of the item, as Unix time in ms. */
  readonly beganMs: number;
  /** The mid-roll whose break comes first; absent: it has begun. */
  breakID?: string;
  /** The mid-roll of the last break. */
  readonly insertID: string;
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
  /** The largest number of a queued item that was planned; absent: none was. */
  queuedThrough?: number;
  /** The last item, or the first row if no item has begun; null: there is none. */
  last: { readonly blockID: string | null; readonly startMs: number } | null;
  /** The rest of an item that is to be continued; absent: none. */
  rest?: Rest;
  /** Inserts within the last hour: beginning as Unix time in ms, and seconds. */
  inserted: readonly (readonly [beganMs: number, seconds: number])[];
  /** Places of the state that the rules have no name for any more, by `forgetNames`; absent: none. */
  unnamed?: readonly StatePlace[];
}

/** One of the parts of a state by name, with a name in it. */
export type StatePlace = readonly [part: 'cursors' | 'turns' | 'blocks' | 'breaks', name: string];

/** The state of a programme that has played nothing. */
export function stateOfBeginning(): PlannerState {
  return { cursors: {}, turns: {}, blocks: {}, breaks: {}, items: 0, last: null, inserted: [] };
}

/** A row with its times, as Unix times in ms. */
export interface TimedRow {
  readonly row: PlannedRow;
  readonly startMs: number;
  /** The end of its item, also if the next row has begun before. */
  readonly endMs: number;
}

/** A row as an item that was heard. */
export function heardAs({ row, endMs }: TimedRow): HeardItem {
  return { kind: row.kind, item: row.item, endMs, ...(continuesItem(row) && { isContinued: true }) };
}

const hourMs = 3_600_000;

/** Changes a state by a row. @param block the block of the row; undefined: it has none, or it was removed since */
export function applyRow(state: PlannerState, timed: TimedRow, block: Block | undefined): void {
  const { row, startMs } = timed;
  // Breaks by the clock, and those after a block, stay due while others come first.
  if (state.last === null || beginsItem(row)) state.last = { blockID: row.blockID, startMs };
  applyRest(state, timed);
  applyMove(state, row);
  if (row.kind === 'insert') applyInsert(state, timed);
  if (continuesItem(row)) return;
  if (row.kind === 'item') countItem(state);
  if (row.kind === 'item' || row.kind === 'off_air') applyTurn(state, row, block);
  if (row.kind === 'queued') {
    countItem(state);
    state.queuedThrough = row.queueNumber!;
  }
}

/** A rest is owed after a part of an item, and during the break behind it. Any other row drops it. */
function applyRest(state: PlannerState, { row, startMs }: TimedRow): void {
  const { rest } = state;
  delete state.rest;
  if (rest && row.kind === 'insert' && row.insertID === rest.insertID) {
    const { breakID: _, ...begun } = rest;
    state.rest = begun;
  }
  const untilSeconds = row.part?.untilSeconds ?? null;
  if (row.breakID === undefined || untilSeconds === null || row.isCutOff) return;
  const { item, kind, blockID, occurrenceMs, stepID, breakID } = row;
  state.rest = {
    item,
    kind,
    blockID,
    occurrenceMs,
    ...(stepID !== undefined && { stepID }),
    fromSeconds: untilSeconds,
    beganMs: continuesItem(row) && rest ? rest.beganMs : startMs,
    breakID,
    insertID: breakID,
  };
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

function applyInsert(state: PlannerState, { row, startMs, endMs }: TimedRow): void {
  const id = row.insertID!;
  const isRecent = (ms: number) => ms > startMs - hourMs;
  const before = state.breaks[id]?.beganMs ?? [];
  const beganMs = row.beginsBreak ? [...before.filter(isRecent), startMs] : before;
  state.breaks[id] = { itemsSince: 0, beganMs, endMs };
  state.inserted = [...state.inserted.filter(([ms]) => isRecent(ms)), [startMs, (endMs - startMs) / 1000]];
}

function applyTurn(state: PlannerState, { blockID, occurrenceMs, stepID = '' }: PlannedRow, block?: Block): void {
  if (blockID === null) return;
  const last = state.blocks[blockID];
  const isSameTurn = last?.occurrenceMs === occurrenceMs && last.stepID === stepID && !isTurnOver(last, block);
  state.blocks[blockID] = { occurrenceMs, stepID, played: isSameTurn ? last.played + 1 : 1 };
  if (block && !isSameTurn) state.turns[blockID] = afterTurn(block.steps, state.turns[blockID] ?? {}, stepID);
}

function countItem(state: PlannerState): void {
  state.items++;
  for (const each of Object.values(state.breaks)) each.itemsSince++;
}

/** Whether the turn of a block's last step is over. */
export function isTurnOver(
  { stepID, played }: Pick<BlockState, 'stepID' | 'played'>,
  block: Block | undefined,
): boolean {
  const step = block?.steps.find(({ id }) => id === stepID);
  return step === undefined || played >= step.count;
}

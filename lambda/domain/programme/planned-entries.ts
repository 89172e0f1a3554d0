// The entries of a timeline that play the rows of a plan, and the rows that entries have played.
import { boundaryAfter, isCutOff, occurrenceBefore, occurrencesFrom } from '../playout/play-out.ts';
import type { ItemOccurrence, TimelineEntry } from '../playout/play-out.ts';
import type { PlannableItem } from './plannable.ts';
import type { PlannedRow } from './planned-row.ts';
import type { PlannedFacts } from '../playout/planned-facts.ts';

/** Bounds of one entry: agents and pages read whole entries. */
const mostRows = 300;
const mostSeconds = 6 * 3600;

/**
 * The rows of each entry. The rows of an entry follow each other, and only its last one is cut off: the next entry
 * begins there.
 */
export function entriesOfRows(rows: readonly PlannedRow[], framesPerSecond: number): PlannedRow[][] {
  const entries: PlannedRow[][] = [];
  for (const row of rows) {
    const entry = entries.at(-1);
    const before = entry?.at(-1);
    const isNext =
      before !== undefined &&
      !before.isCutOff &&
      before.startFrame + before.frameCount === row.startFrame &&
      entry!.length < mostRows &&
      row.startFrame - entry![0]!.startFrame < mostSeconds * framesPerSecond;
    if (isNext) entry!.push(row);
    else entries.push([row]);
  }
  return entries;
}

/** The facts of a row without its item, its part, its frames and its join. */
export function factsOfRow(row: PlannedRow): PlannedFacts {
  const {
    item: _,
    startFrame: _start,
    frameCount: _count,
    isCutOff: _cut,
    part: _part,
    joinSeconds: __,
    ...facts
  } = row;
  return facts;
}

/** The row that an occurrence plays. One of a playlist is an item without a block. @param item of its upload */
export function rowOfOccurrence(occurrence: ItemOccurrence, item: PlannableItem, framesPerSecond: number): PlannedRow {
  const { startFrame, frameCount, planned, part } = occurrence;
  const facts = planned ?? { kind: 'item', blockID: null, occurrenceMs: 0 };
  const isCut = isCutOff(occurrence, framesPerSecond);
  const { join } = occurrence.item;
  const joined = join && { joinSeconds: join.seconds };
  return { ...facts, item, startFrame, frameCount, isCutOff: isCut, ...(part && { part }), ...joined };
}

/** The time for which a boundary waits for the end of a break or of filler. */
const mostWaitSeconds = 600;

/**
 * The first frame at or after another one at which a plan can be replaced by one that continues it: an item ends there,
 * and neither a break nor a series of filler continues, as these are chosen as a whole.
 */
export function planBoundaryAfter(timeline: readonly TimelineEntry[], frame: number, framesPerSecond: number): number {
  const boundary = boundaryAfter(timeline, frame, framesPerSecond);
  for (const occurrence of occurrencesFrom(timeline, boundary, framesPerSecond)) {
    const { startFrame, planned } = occurrence;
    const before = occurrenceBefore(timeline, occurrence, framesPerSecond)?.planned;
    const isWithinBreak = planned?.kind === 'insert' && !planned.beginsBreak;
    const isWithinFiller = planned?.kind === 'filler' && before?.kind === 'filler';
    const isLate = startFrame > frame + mostWaitSeconds * framesPerSecond;
    if (isLate || !(isWithinBreak || isWithinFiller)) return startFrame;
  }
  return boundary;
}

// The choice of the next item of a block: its step, and the member that breaks the fewest distances.
import type { BlockTime } from './block-times.ts';
import { cursorOfStep } from './cursor-names.ts';
import type { Candidate } from './cursors.ts';
import type { PlannableItem } from './plannable.ts';
import type { Refused } from '../playout/planned-facts.ts';
import { cursorAt, isTurnOver } from './planned-row.ts';
import type { PlannerState } from './planned-row.ts';
import type { PlannedSources } from './planned-sources.ts';
import type { Block, ItemSource, Step } from './programme-rules.ts';
import type { Choice } from './row-choice.ts';
import type { Heard } from './separation.ts';
import { nextTurn } from './shares.ts';

/** All that a choice follows from, beside the rules of its block. */
export interface Chances {
  readonly state: PlannerState;
  readonly heard: Heard;
  readonly sources: PlannedSources;
  /** The beginning of the item, as Unix time in ms. */
  readonly startMs: number;
  /** Frames until the item is cut off; Infinity: it is not. */
  readonly frames: number;
  /** Frames until an item would end that is not cut off. */
  readonly framesUntilEndOf: (item: PlannableItem) => number;
  readonly framesPerSecond: number;
}

/** An item that would be cut off sooner is not begun; filler is. */
const leastSecondsBeforeCut = 20;

/** The next item of a block with its step; null: none may begin, and filler is to play. */
export function chooseItem(time: BlockTime, chances: Chances): (Choice & { readonly step: Step }) | null {
  const steps = time.block.steps.filter(({ from }) => chances.sources.canPlay(from));
  if (steps.length === 0) return null;
  const step = nextStep(time, steps, chances.state);
  const choice = chooseMember(step.from, cursorOfStep(time.block, step), time, chances);
  return choice && { ...choice, step };
}

function nextStep({ block, occurrenceMs }: BlockTime, steps: readonly Step[], { blocks, turns }: PlannerState): Step {
  const last = blocks[block.id];
  const place = last?.occurrenceMs === occurrenceMs ? steps.findIndex(({ id }) => id === last.stepID) : -1;
  if (place >= 0 && !isTurnOver(last!, block)) return steps[place]!;
  if (block.isOrdered) return steps[(place + 1) % steps.length]!;
  return nextTurn(steps, turns[block.id] ?? {});
}

/**
 * The first member that meets all separation rules, or else as many as possible. Null: none may be begun before the
 * deadline, and filler is to play.
 */
function chooseMember(
  from: ItemSource,
  cursor: string,
  { block, occurrenceMs }: BlockTime,
  chances: Chances,
): Choice | null {
  const { state, heard, sources, startMs, frames } = chances;
  const mustFit = block.ends === 'fill' && hasFillerIn(block, chances);
  const judged: (Candidate & { readonly broken: readonly number[] })[] = [];
  const refused: Refused[] = [];
  let candidates = 0;
  const position = cursorAt(state.cursors, cursor, occurrenceMs);
  for (const candidate of sources.candidates(from, position)) {
    candidates++;
    const { uploadID } = candidate.item;
    if (mustFit && chances.framesUntilEndOf(candidate.item) > frames) {
      refused.push({ uploadID, by: 'too_long' });
      continue;
    }
    const broken = block.isOffAir ? [] : heard.brokenBy(candidate.item, startMs);
    if (broken.length === 0) return begun({ ...candidate, cursor, candidates, refused, relaxed: [] }, block, chances);
    judged.push({ ...candidate, broken });
    refused.push({ uploadID, by: broken });
  }
  const chosen = leastBreaking(judged, heard.givenUpFirst);
  if (chosen === null) return null;
  const { broken: relaxed, ...candidate } = chosen;
  const others = refused.filter(({ uploadID }) => uploadID !== candidate.item.uploadID);
  return begun({ ...candidate, cursor, candidates, refused: others, relaxed }, block, chances);
}

/** A choice, if it may begin: one that is cut off soon leaves its time to filler. */
function begun(choice: Choice, block: Block, chances: Chances): Choice | null {
  const { frames, framesUntilEndOf, framesPerSecond } = chances;
  const isCutSoon = frames < leastSecondsBeforeCut * framesPerSecond;
  const isWhole = framesUntilEndOf(choice.item) <= frames;
  return !isWhole && isCutSoon && hasFillerIn(block, chances) ? null : choice;
}

function hasFillerIn({ isOffAir }: Block, { sources }: Chances): boolean {
  return !isOffAir && sources.hasFiller();
}

/** The first candidate for which the fewest rules have to be given up. */
function leastBreaking<Judged extends { readonly broken: readonly number[] }>(
  judged: readonly Judged[],
  givenUpFirst: readonly number[],
): Judged | null {
  for (const count of givenUpFirst.keys()) {
    const givenUp = new Set(givenUpFirst.slice(0, count + 1));
    const first = judged.find(({ broken }) => broken.every((rule) => givenUp.has(rule)));
    if (first) return first;
  }
  return judged[0] ?? null;
}

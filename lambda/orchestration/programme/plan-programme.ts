// Plans a published programme for a run of its stream, from a frame on.
import type { Database } from '../../data/database.ts';
import type { PublishedProgramme } from '../../data/programme/programmes.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { trackJoins } from '../../domain/playout/item-joins.ts';
import { effectiveAheadSeconds } from '../../domain/playout/play-out.ts';
import type { TimelineEntry } from '../../domain/playout/play-out.ts';
import { joinSeconds } from '../../domain/playout/sound.ts';
import { blockTimesOf } from '../../domain/programme/block-times.ts';
import { firstCutAfter, frameOfMs, msOfFrame } from '../../domain/programme/frame-grid.ts';
import type { FrameGrid } from '../../domain/programme/frame-grid.ts';
import type { PlannedRow, PlannerState } from '../../domain/programme/planned-row.ts';
import { planBoundaryAfter } from '../../domain/programme/planned-entries.ts';
import { framesPerSecond } from '../../domain/shared/video-format.ts';
import { elapsedSecondsOf } from '../../domain/streams/run-clock.ts';
import { isPlayable } from '../../domain/readiness/readiness.ts';
import { uploadFacts } from '../shared/upload-facts.ts';
import { loadHistory } from './programme-history.ts';
import { budgetOf, inTurns, planInTurns } from './planning-turns.ts';
import { loadQueue, loadSources } from './programme-sources.ts';

export interface ProgrammePlanRequest {
  readonly stream: Stream;
  readonly programme: PublishedProgramme;
  readonly grid: FrameGrid;
  /** The first frame that may change. */
  readonly earliestFrame: number;
  /** From `planBoundaryAfter`. A block that cannot wait cuts off what plays before. */
  readonly boundaryFrame: number;
  /** Whether the row that begins or plays at the first frame counts as played, although another one begins there. */
  readonly isSkip?: boolean;
  /** Unix time in ms. The plan ends with the row that plays then, or with `mostRows`. */
  readonly untilMs: number;
  readonly mostRows: number;
  /** The time of a processor that it may take; absent: that of a usual plan. */
  readonly mostProcessorMs?: number | undefined;
}

/** The grid and the first frames of a plan of a run with an anchor that changes what plays as soon as it can. */
export function placeInRun(
  { anchored_at: anchoredAt, run_framerate: framerate }: Stream,
  timeline: readonly TimelineEntry[],
  now: Date,
): Pick<ProgrammePlanRequest, 'grid' | 'earliestFrame' | 'boundaryFrame'> {
  const rate = framesPerSecond[framerate!];
  const earliestFrame = Math.ceil((elapsedSecondsOf(anchoredAt, now) + effectiveAheadSeconds) * rate);
  return {
    grid: { anchoredAtMs: anchoredAt!.getTime(), framesPerSecond: rate },
    earliestFrame,
    boundaryFrame: planBoundaryAfter(timeline, earliestFrame, rate),
  };
}

export interface ProgrammePlan {
  /** Empty: nothing can be played. */
  readonly rows: readonly PlannedRow[];
  readonly fromFrame: number;
  readonly endFrame: number;
  /** The state of the planner before the first row. */
  readonly before: PlannerState;
  /** The row that plays before them, which now ends otherwise; null: it ends as it was planned. */
  readonly endsOtherwise: PlannedRow | null;
}

/** Blocks that begin soon after the end of a plan may cut off its last item. */
const aheadMs = 2 * 86_400_000;
/** An item begins no earlier than this before the end of the one before it. */
const mostOverlapMs = (joinSeconds.longest + 1) * 1000;

export async function planProgramme(data: Database, request: ProgrammePlanRequest): Promise<ProgrammePlan> {
  const { stream, programme, grid, earliestFrame, boundaryFrame, isSkip = false, untilMs, mostRows } = request;
  const { mostProcessorMs } = request;
  const rules = { ...programme.live, seed: programme.seed };
  const collections = await loadSources(data, programme.user_id, programme.kind, rules);
  const queue = await loadQueue(data, programme, rules);
  const earliestMs = msOfFrame(grid, earliestFrame);
  const budget = budgetOf(data);
  const timesFrom = (fromMs: number) =>
    inTurns(budget, (nextTurn) => blockTimesOf(rules, { fromMs, untilMs: untilMs + aheadMs }, nextTurn));
  const joins = trackJoins(programme.kind, stream);
  // A row is chosen for the first frame at which it may begin.
  const firstChoiceMs = joins.ofStream.kind === 'cut' ? earliestMs : earliestMs - mostOverlapMs;
  const upcoming = await timesFrom(firstChoiceMs);
  const fromFrame = Math.min(boundaryFrame, firstCutAfter(upcoming, grid, earliestFrame));
  const known = [...[...collections.values()].flatMap(({ members }) => members), ...queue.map(({ item }) => item)];
  const members = new Map(known.map((item) => [item.uploadID, item]));
  const { state, heard, before } = await loadHistory(data, {
    stream,
    programme,
    rules,
    untilMs: msOfFrame(grid, isSkip ? fromFrame + 1 : fromFrame),
    cutMs: msOfFrame(grid, fromFrame),
    memberOf: (uploadID) => members.get(uploadID),
  });
  if (fromFrame === 0 || (isSkip && isOfItem(state)) || !(await canContinue(data, programme, state))) delete state.rest;
  // An item that continues has the deadline that it had when it began.
  const blockTimes = state.rest ? await timesFrom(Math.min(firstChoiceMs, state.rest.beganMs)) : upcoming;
  const rows: PlannedRow[] = [];
  let endFrame = fromFrame;
  let endsOtherwise: PlannedRow | null = null;
  const untilFrame = frameOfMs(grid, untilMs);
  const ofHistory = { heard, state, joins, before };
  const planned = { rules, blockTimes, collections, queue, ...ofHistory, grid, fromFrame, untilFrame };
  for await (const part of planInTurns(planned, { mostRows, mostProcessorMs, budget })) {
    rows.push(...part.rows);
    endFrame = part.endFrame;
    endsOtherwise ??= part.before ?? null;
  }
  return { rows, fromFrame, endFrame, before: state, endsOtherwise };
}

/** Whether the last row of a state is a part of an item: its break has not begun. */
function isOfItem({ rest }: PlannerState): boolean {
  return rest?.breakID !== undefined;
}

/** Whether the item that a break has interrupted, if there is one, can still be played. */
async function canContinue(data: Database, { kind }: PublishedProgramme, { rest }: PlannerState): Promise<boolean> {
  if (rest === undefined) return true;
  const { uploadID } = rest.item;
  return isPlayable(uploadFacts((await data.uploads.byID([uploadID])).get(uploadID)), kind);
}

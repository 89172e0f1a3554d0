// The history that a plan continues: the state of the planner, and the items that were heard before.
import type { Database } from '../../data/database.ts';
import type { Programme } from '../../data/programme/programmes.ts';
import { partsOf } from '../../data/playout/run-parts.ts';
import type { ReadPart } from '../../data/playout/run-parts.ts';
import type { RunPart, RunTime } from '../../data/playout/timelines.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { itemsPlayed, occurrencesFrom } from '../../domain/playout/play-out.ts';
import { overlapFrames } from '../../domain/playout/sound.ts';
import type { TimelineItem } from '../../domain/playout/play-out.ts';
import { forgetNames } from '../../domain/programme/forgotten-names.ts';
import { frameOfMs, msOfFrame } from '../../domain/programme/frame-grid.ts';
import type { FrameGrid } from '../../domain/programme/frame-grid.ts';
import type { PlannableItem } from '../../domain/programme/plannable.ts';
import { rowOfOccurrence } from '../../domain/programme/planned-entries.ts';
import { applyRow, heardAs, stateOfBeginning } from '../../domain/programme/planned-row.ts';
import type { PlannerState, TimedRow } from '../../domain/programme/planned-row.ts';
import type { ProgrammeRules } from '../../domain/programme/programme-rules.ts';
import { Heard } from '../../domain/programme/separation.ts';
import { framesPerSecond } from '../../domain/shared/video-format.ts';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { budgetOf, inTurns } from './planning-turns.ts';

/** The history of a programme at a time. */
export interface ProgrammeHistory {
  readonly state: PlannerState;
  readonly heard: Heard;
  /** Unix time in ms of the end of the last row; null: nothing has played. */
  readonly endMs: number | null;
  /** The last row; absent: none within the time that was looked back on. */
  readonly before?: TimedRow | undefined;
}

export interface HistoryRequest {
  readonly stream: Stream;
  readonly programme: Pick<Programme, 'id' | 'kind' | 'planned_until'>;
  readonly rules: ProgrammeRules;
  /** Unix time in ms; rows that begin before it are the history. */
  readonly untilMs: number;
  /** Unix time in ms at which a plan begins, which cuts off the last row of the history. */
  readonly cutMs: number;
  /** The member of a collection with an upload; undefined: it is in none any more. */
  readonly memberOf: (uploadID: string) => PlannableItem | undefined;
}

const hourMs = 3_600_000;
/** The most time and runs that a programme looks back on. */
const mostLookBackMs = 7 * 24 * hourMs;
/** Within this time, there is the row before a plan, which its first row may be joined with. */
const leastLookBackMs = 1000;
const mostRuns = 50;

/**
 * The history of a programme until a time, also over past runs of its stream. Its rows are read in parts and not kept:
 * a week of short items has hundreds of thousands.
 */
export async function loadHistory(data: Database, request: HistoryRequest): Promise<ProgrammeHistory> {
  const { programme, rules, untilMs } = request;
  const kept = await data.programmes.stateAt(programme.id, new Date(untilMs));
  const state = kept?.state ?? stateOfBeginning();
  const stateMs = kept?.at.getTime() ?? untilMs;
  const blocks = new Map(rules.blocks.map((block) => [block.id, block]));
  const heard = new Heard(rules.separation);
  let before = undefined as TimedRow | undefined;
  await readPlayed(data, request, Math.min(stateMs, untilMs - lookBackMs(rules)), (timed) => {
    if (timed.startMs >= stateMs) applyRow(state, timed, blocks.get(timed.row.blockID ?? ''));
    heard.add(heardAs(timed));
    before = timed;
  });
  forgetNames(state, rules);
  return { state, heard, endMs: before?.endMs ?? kept?.at.getTime() ?? null, before };
}

/** The time before a plan whose items its rules compare with. */
function lookBackMs({ separation, filler }: ProgrammeRules): number {
  const minutes = Math.max(0, ...separation.map((rule) => rule.minutes));
  // Distances in items, and the filler that was heard least recently, need the items of a day.
  const isByItems = filler !== null || separation.some(({ items }) => items > 0);
  return Math.min(mostLookBackMs, Math.max(leastLookBackMs, minutes * 60_000, isByItems ? 24 * hourMs : 0));
}

/** A run of the stream, over or present. */
interface PlayedRun {
  readonly grid: FrameGrid;
  /** Unix time in ms. */
  readonly endMs: number;
  readonly partOf: (time: RunTime) => Promise<RunPart>;
}

/** Rows that are read at once: some milliseconds of a processor. */
const rowsOfTurn = 3000;

/** Reads the rows that have begun between two times, or are planned to; the oldest first. */
async function readPlayed(
  data: Database,
  request: HistoryRequest,
  fromMs: number,
  add: (row: TimedRow) => void,
): Promise<void> {
  for (const run of await playedRuns(data, request, fromMs)) {
    const secondsAt = (ms: number) => Math.max(0, (ms - run.grid.anchoredAtMs) / 1000);
    const time = { fromSeconds: secondsAt(fromMs), toSeconds: secondsAt(Math.min(request.untilMs, run.endMs)) };
    for await (const part of partsOf(run.partOf, time)) {
      if (itemsPlayed(part.timelines[request.programme.kind][0]?.snapshot).length === 0) break;
      await inTurns(budgetOf(data), async (nextTurn) => {
        let count = 0;
        for (const row of rowsOfPart(part, run, request, fromMs)) {
          if (count++ % rowsOfTurn === 0) await nextTurn();
          add(row);
        }
      });
    }
  }
}

/** The rows that begin within a part of a run, or, in the first part, play at a time. */
function* rowsOfPart(
  { timelines, fromSeconds, untilSeconds, isFirst }: ReadPart,
  { grid, endMs }: PlayedRun,
  { programme, untilMs, cutMs, memberOf }: HistoryRequest,
  fromMs: number,
): Generator<TimedRow> {
  const { framesPerSecond: rate } = grid;
  const fromFrame = isFirst ? Math.max(0, frameOfMs(grid, fromMs)) : Math.round(fromSeconds * rate);
  const untilFrame = Math.round(untilSeconds * rate);
  for (const occurrence of occurrencesFrom(timelines[programme.kind], fromFrame, rate)) {
    const { startFrame, frameCount, item: played } = occurrence;
    const startMs = msOfFrame(grid, startFrame);
    if (startMs >= Math.min(untilMs, endMs) || startFrame >= untilFrame) return;
    if (!isFirst && startFrame < fromFrame) continue;
    const cutRowMs = Math.min(cutMs, endMs);
    const isCut = msOfFrame(grid, startFrame + frameCount) > cutRowMs;
    const endFrame = startFrame + frameCount + overlapFrames(played.join, rate);
    const row = rowOfOccurrence(occurrence, memberOf(played.uploadID) ?? itemWithoutMember(played), rate);
    if (isCut) yield { row: { ...row, isCutOff: true }, startMs, endMs: cutRowMs };
    else yield { row, startMs, endMs: msOfFrame(grid, endFrame) };
  }
}

async function playedRuns(
  data: Database,
  { stream, programme, untilMs }: HistoryRequest,
  fromMs: number,
): Promise<PlayedRun[]> {
  const { id, anchored_at: anchoredAt, run_framerate: framerate, stopped_at: stoppedAt } = stream;
  const past = (await data.runs.between(id, new Date(fromMs), new Date(untilMs), mostRuns)).map((run): PlayedRun => ({
    grid: { anchoredAtMs: run.anchored_at.getTime(), framesPerSecond: framesPerSecond[run.framerate] },
    endMs: run.ended_at.getTime(),
    partOf: (time) => data.runs.partOf(id, run.anchored_at, time),
  }));
  if (anchoredAt === null || framerate === null) return past;
  // A run that is over is the present one until the next start. Behind a plan, its last entry only repeats.
  const endsAt = isLive(stream.state) ? programme.planned_until : stoppedAt;
  const present: PlayedRun = {
    grid: { anchoredAtMs: anchoredAt.getTime(), framesPerSecond: framesPerSecond[framerate] },
    endMs: endsAt?.getTime() ?? Infinity,
    partOf: (time) => data.timelines.partOf(id, time),
  };
  return [...past, present];
}

/** An item that has left the collections: its tags and its folder are not known any more. */
function itemWithoutMember({ uploadID, name, durationSeconds, titles = {} }: TimelineItem): PlannableItem {
  return { uploadID, name, durationSeconds, createdAtMs: 0, titles, tags: [], folder: null };
}

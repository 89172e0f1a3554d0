// The history that a plan continues: the state of the planner, and the items that were heard before.
import type { Database } from '../../data/database.ts';
import type { Programme } from '../../data/programme/programmes.ts';
import { partsOf } from '../../data/playout/run-parts.ts';
import type { RunPart, RunTime } from '../../data/playout/timelines.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { itemsPlayed, occurrencesFrom } from '../../domain/playout/play-out.ts';
import type { TimelineItem } from '../../domain/playout/play-out.ts';
import { forgetNames } from '../../domain/programme/forgotten-names.ts';
import { frameOfMs, msOfFrame } from '../../domain/programme/frame-grid.ts';
import type { FrameGrid } from '../../domain/programme/frame-grid.ts';
import type { PlannableItem } from '../../domain/programme/plannable.ts';
import { rowOfOccurrence } from '../../domain/programme/planned-entries.ts';
import { applyRow, heardAs, stateOfBeginning } from '../../domain/programme/planned-row.ts';
import type { PlannerState, TimedRow } from '../../domain/programme/planned-row.ts';
import type { ProgrammeRules } from '../../domain/programme/programme-rules.ts';
import type { HeardItem } from '../../domain/programme/separation.ts';
import { framesPerSecond } from '../../domain/shared/video-format.ts';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';

/** The history of a programme at a time. */
export interface ProgrammeHistory {
  readonly state: PlannerState;
  /** Oldest first. */
  readonly heard: readonly HeardItem[];
  /** Unix time in ms of the end of the last row; null: nothing has played. */
  readonly endMs: number | null;
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
const mostRuns = 50;

/** The history of a programme until a time, also over past runs of its stream. */
export async function loadHistory(data: Database, request: HistoryRequest): Promise<ProgrammeHistory> {
  const { programme, rules, untilMs } = request;
  const kept = await data.programmes.stateAt(programme.id, new Date(untilMs));
  const state = kept?.state ?? stateOfBeginning();
  const stateMs = kept?.at.getTime() ?? untilMs;
  const rows = await playedRows(data, request, Math.min(stateMs, untilMs - lookBackMs(rules)));
  const blocks = new Map(rules.blocks.map((block) => [block.id, block]));
  for (const timed of rows) if (timed.startMs >= stateMs) applyRow(state, timed, blocks.get(timed.row.blockID ?? ''));
  forgetNames(state, rules);
  return { state, heard: rows.map(heardAs), endMs: rows.at(-1)?.endMs ?? kept?.at.getTime() ?? null };
}

/** The time before a plan whose items its rules compare with. */
function lookBackMs({ separation, filler }: ProgrammeRules): number {
  const minutes = Math.max(0, ...separation.map((rule) => rule.minutes));
  // Distances in items, and the filler that was heard least recently, need the items of a day.
  const isByItems = filler !== null || separation.some(({ items }) => items > 0);
  return Math.min(mostLookBackMs, Math.max(minutes * 60_000, isByItems ? 24 * hourMs : 0));
}

/** A run of the stream, over or present. */
interface PlayedRun {
  readonly grid: FrameGrid;
  /** Unix time in ms. */
  readonly endMs: number;
  readonly partOf: (time: RunTime) => Promise<RunPart>;
}

/** The rows that have begun between two times, or are planned to. */
async function playedRows(data: Database, request: HistoryRequest, fromMs: number): Promise<TimedRow[]> {
  const { programme, untilMs, cutMs, memberOf } = request;
  const rows: TimedRow[] = [];
  for (const { grid, endMs, partOf } of await playedRuns(data, request, fromMs)) {
    const untilRunMs = Math.min(untilMs, endMs);
    const secondsAt = (ms: number) => Math.max(0, (ms - grid.anchoredAtMs) / 1000);
    const time = { fromSeconds: secondsAt(fromMs), toSeconds: secondsAt(untilRunMs) };
    for await (const { timelines, fromSeconds, untilSeconds, isFirst } of partsOf(partOf, time)) {
      const timeline = timelines[programme.kind];
      if (itemsPlayed(timeline[0]?.snapshot).length === 0) break;
      const fromFrame = isFirst ? Math.max(0, frameOfMs(grid, fromMs)) : Math.round(fromSeconds * grid.framesPerSecond);
      const untilFrame = Math.round(untilSeconds * grid.framesPerSecond);
      for (const occurrence of occurrencesFrom(timeline, fromFrame, grid.framesPerSecond)) {
        const { startFrame, frameCount, item: played } = occurrence;
        const startMs = msOfFrame(grid, startFrame);
        if (startMs >= untilRunMs || startFrame >= untilFrame) break;
        if (!isFirst && startFrame < fromFrame) continue;
        const endRowMs = Math.min(cutMs, endMs, msOfFrame(grid, startFrame + frameCount));
        const item = memberOf(played.uploadID) ?? itemWithoutMember(played);
        rows.push({ row: rowOfOccurrence(occurrence, item, grid.framesPerSecond), startMs, endMs: endRowMs });
      }
    }
  }
  return rows;
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

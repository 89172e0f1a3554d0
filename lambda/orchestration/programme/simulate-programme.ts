// Simulates a programme: the plan of days to come, behind what its stream has played, without writing it.
import type { Database } from '../../data/database.ts';
import type { Programme } from '../../data/programme/programmes.ts';
import { formatOfStart } from '../../data/streams/streams.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { trackJoins } from '../../domain/playout/item-joins.ts';
import { blockTimesOf } from '../../domain/programme/block-times.ts';
import { frameOfMs } from '../../domain/programme/frame-grid.ts';
import type { FrameGrid } from '../../domain/programme/frame-grid.ts';
import type { PlannableCollection } from '../../domain/programme/plannable.ts';
import type { PlannedRow } from '../../domain/programme/planned-row.ts';
import type { ProgrammeRules } from '../../domain/programme/programme-rules.ts';
import { Simulation } from '../../domain/programme/simulation.ts';
import type { SourceIssue } from '../../domain/programme/simulation.ts';
import { framesPerSecond } from '../../domain/shared/video-format.ts';
import { budgetOf, inTurns, planInTurns } from './planning-turns.ts';
import { loadHistory } from './programme-history.ts';
import type { HistoryRequest, ProgrammeHistory } from './programme-history.ts';
import { loadSources } from './programme-sources.ts';

/** Rows of a simulation. One that would have more ends sooner. */
const mostRows = 300_000;
/** Blocks that begin soon after the end may cut off its last item. */
const aheadMs = 2 * 86_400_000;

export interface SimulationRequest {
  readonly programme: Programme;
  readonly from: Date;
  readonly until: Date;
  /** Rows before the first one to return, and the number to return. */
  readonly skip: number;
  readonly count: number;
}

export interface SimulatedProgramme {
  readonly rules: ProgrammeRules;
  readonly grid: FrameGrid;
  readonly rows: readonly PlannedRow[];
  /** Whether rows follow. */
  readonly hasMore: boolean;
  readonly figures: Simulation;
  readonly issueOfSource: (sourceKey: string) => SourceIssue | null;
  /** The end of the simulated time. */
  readonly endFrame: number;
  /** The end of the rows of the stream, played or planned, before the simulated time; null: there are none. */
  readonly historyUntil: Date | null;
}

/** The beginnings of rows in answers are rounded up to whole milliseconds. */
const roundedMs = 1;

/** Plans a programme that begins at a time, and continues what its stream has played until then. */
export async function simulateProgramme(data: Database, request: SimulationRequest): Promise<SimulatedProgramme> {
  const { programme, from, until, skip, count } = request;
  const rules = { ...programme.draft, seed: programme.seed };
  const collections = await loadSources(data, programme.user_id, programme.kind, rules);
  const stream = (await data.streams.find(programme.user_id, programme.stream_id))!;
  const grid = { anchoredAtMs: from.getTime(), framesPerSecond: await rateOf(data, stream) };
  const { state, heard, endMs, before } = await historyBefore(data, { stream, programme, rules, from, collections });
  const joins = trackJoins(programme.kind, stream);
  const calendar = { fromMs: from.getTime(), untilMs: until.getTime() + aheadMs };
  const blockTimes = await inTurns(budgetOf(data), (nextTurn) => blockTimesOf(rules, calendar, nextTurn));
  const figures = new Simulation(rules);
  const rows: PlannedRow[] = [];
  const untilFrame = frameOfMs(grid, until.getTime());
  const beginning = { heard, state, joins, before, fromFrame: 0, untilFrame };
  let [seen, endFrame] = [0, 0];
  for await (const part of planInTurns(
    { rules, blockTimes, collections, queue: [], grid, ...beginning },
    { mostRows, budget: budgetOf(data) },
  )) {
    figures.add(part);
    for (const row of part.rows) if (seen++ >= skip && rows.length <= count) rows.push(row);
    endFrame = part.endFrame;
  }
  const issueOfSource = (key: string) => {
    const { isCut = false, members = [] } = collections.get(key) ?? {};
    if (isCut) return 'collection_cut';
    return members.length === 0 ? 'collection_empty' : null;
  };
  const shown = { rows: rows.slice(0, count), hasMore: rows.length > count };
  const historyUntil = endMs === null ? null : new Date(Math.ceil(endMs));
  return { rules, grid, ...shown, figures, issueOfSource, endFrame: Math.min(endFrame, untilFrame), historyUntil };
}

interface HistoryBefore extends Pick<HistoryRequest, 'stream' | 'programme' | 'rules'> {
  readonly from: Date;
  readonly collections: ReadonlyMap<string, PlannableCollection>;
}

/** The rows of a stream, played or planned, before a time at which a programme begins with an item. */
async function historyBefore(data: Database, request: HistoryBefore): Promise<ProgrammeHistory> {
  const { from, collections, ...played } = request;
  const now = await data.now();
  const plannedMs = played.programme.planned_until?.getTime() ?? 0;
  const listed = [...collections.values()].flatMap(({ members }) => members);
  const members = new Map(listed.map((item) => [item.uploadID, item]));
  const history = await loadHistory(data, {
    ...played,
    // Behind a plan, the last items of a stream only repeat.
    untilMs: Math.min(from.getTime() - roundedMs, Math.max(now.getTime(), plannedMs)),
    cutMs: from.getTime(),
    memberOf: (uploadID) => members.get(uploadID),
  });
  delete history.state.rest;
  return history;
}

/** Frames per second of the stream's next run. */
async function rateOf(data: Database, stream: Stream): Promise<number> {
  const user = await data.users.find(stream.user_id);
  return framesPerSecond[formatOfStart(stream, user!).framerate];
}

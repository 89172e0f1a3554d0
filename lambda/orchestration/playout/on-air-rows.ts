// The items that a stream plays at any time, past and future: computed from its timelines, and never logged.
import type { Database } from '../../data/database.ts';
import { formatOfRun } from '../../data/streams/streams.ts';
import type { Stream } from '../../data/streams/streams.ts';
import type { AiredOfTracks, PastRun } from '../../data/playout/runs.ts';
import { partsOf } from '../../data/playout/run-parts.ts';
import type { ReadPart } from '../../data/playout/run-parts.ts';
import type { RunPart, RunTime, Timelines, Track } from '../../data/playout/timelines.ts';
import { airedPartsOf } from '../../domain/playout/aired.ts';
import type { AiredFrames, AiredPart } from '../../domain/playout/aired.ts';
import { ofAspect } from '../../domain/playout/look.ts';
import { itemsPlayed, occurrencesFrom } from '../../domain/playout/play-out.ts';
import type { ItemOccurrence, TimelineEntry } from '../../domain/playout/play-out.ts';
import type { PictureFormat } from '../../domain/playout/rendition.ts';
import { elapsedSecondsOf, runClock } from '../../domain/streams/run-clock.ts';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { framesPerSecond } from '../../domain/shared/video-format.ts';
import type { Framerate } from '../../domain/shared/video-format.ts';
import { draftTimelines } from './planned-timelines.ts';
import { timelinesAhead } from './timelines-ahead.ts';
import { mostPlanned, PlannedRuns } from './planned-runs.ts';
import { budgetOf } from '../programme/planning-turns.ts';
import { endOfRun, plannedTimes } from '../schedule/planned-times.ts';
import type { PlannedTime } from '../schedule/planned-times.ts';

/** One play of an item. */
export interface OnAirRow {
  readonly startAt: Date;
  readonly endAt: Date;
  /** The beginning of the item: before `startAt` if the row continues it after a break. */
  readonly itemStartAt: Date;
  readonly occurrence: ItemOccurrence;
  readonly framesPerSecond: number;
  readonly format: PictureFormat;
  readonly track: Track;
  /** The end of its run; null: no known end. */
  readonly runEndsAt: Date | null;
  /** The timelines of both tracks at that time. */
  readonly timelines: Timelines;
  /** The parts that destinations accepted; null: it is in the future. */
  readonly aired: readonly AiredPart[] | null;
}

/** A run of a stream: past, present, or one that a schedule will begin. */
export interface AirRun {
  readonly anchoredAt: Date;
  /** Null: no known end. */
  readonly endsAt: Date | null;
  readonly format: PictureFormat;
  readonly framesPerSecond: number;
  /** The first entries that are in force during a part of the run. */
  readonly partOf: (time: RunTime) => Promise<RunPart>;
  /** Null: the run has begun. */
  readonly planned: PlannedTime | null;
}

export interface OnAirQuery {
  readonly from: Date;
  readonly to: Date;
  readonly count: number;
  /** Null: the main track, see `mainTrackOf`. */
  readonly track: Track | null;
  /** The drafts to assume published now; null: none. */
  readonly drafts: 'all' | { readonly playlistID: string } | null;
  /** Only items of this order; absent or null: all. */
  readonly orderReference?: string | null;
  /** When drafts of a stream that neither runs nor waits for a schedule begin. Absent: now. */
  readonly beginsAt?: Date;
  readonly now: Date;
}

export interface OnAirRows {
  readonly rows: readonly OnAirRow[];
  /**
   * The time until which the rows are complete, if runs that begin later were not planned, or later entries of a run
   * not read; it is later than `from`. Null: they are complete up to the count, or to the end of the range.
   */
  readonly endsAt: Date | null;
}

/** A range with more rows than are searched for those of an order. */
export class TooManyRows extends Error {
  override readonly name = 'TooManyRows';
}

/** The most rows of a run that are searched for those of an order. */
const mostSearched = 100_000;
/** The most parts of a run that are read for the rows of a page. */
const mostParts = 8;
/** The most stretches that are read for the rows of a page. */
const mostStretches = 20_000;
/** The most that media is sent ahead of its time: destinations may have accepted this much after the end of a run. */
const mostAheadMs = 1000;

/**
 * The items that a stream plays between two times, in order, beginning with the one on the air at `from`.
 * @param plans of other ranges that end at the same time; absent: none
 * @throws {TooManyRows} only with an order
 */
export async function onAirRows(
  data: Database,
  stream: Stream,
  query: OnAirQuery,
  plans = new PlannedRuns(data, stream, query),
): Promise<OnAirRows> {
  const rows: OnAirRow[] = [];
  const { runs, endsAt } = await airRuns(data, stream, query, plans);
  for (const run of runs) {
    if (rows.length >= query.count) return { rows, endsAt: null };
    await budgetOf(data)?.assertMayContinue();
    if (run.planned && !plans.mayPlan(run.planned)) return { rows, endsAt: run.anchoredAt };
    const ofRun = await rowsOfRun(data, stream, run, { ...query, count: query.count - rows.length });
    rows.push(...ofRun.rows);
    if (ofRun.readUntil !== null) return { rows, endsAt: ofRun.readUntil };
  }
  return { rows, endsAt: rows.length >= query.count ? null : endsAt };
}

interface RowsOfRun {
  readonly rows: readonly OnAirRow[];
  /** The time until which the rows are complete, if later entries were not read; null: all were. */
  readonly readUntil: Date | null;
}

/** The rows of a run between the times of a query. Its entries are read in parts, as a list may have many copies. */
async function rowsOfRun(data: Database, stream: Stream, run: AirRun, query: OnAirQuery): Promise<RowsOfRun> {
  const { anchoredAt, framesPerSecond: rate } = run;
  const toSeconds = elapsedSecondsOf(anchoredAt, query.to);
  const rows: OnAirRow[] = [];
  const search: Search = { track: query.track, searched: 0 };
  const time = { fromSeconds: elapsedSecondsOf(anchoredAt, query.from), toSeconds };
  let parts = 0;
  for await (const part of partsOf((each) => readPart(data, run, each), time)) {
    const asked = { ...query, count: query.count - rows.length };
    rows.push(...(await rowsOfPart(data, stream, run, { ...part, search }, asked)));
    if (rows.length >= query.count) break;
    if (++parts === mostParts && part.untilSeconds < toSeconds)
      return { rows, readUntil: runClock(anchoredAt, rate).timeOf(part.untilSeconds * rate) };
  }
  return { rows, readUntil: null };
}

/** Reads a part of a run at the cost of the planning budget of the call. */
async function readPart(data: Database, run: AirRun, time: RunTime): Promise<RunPart> {
  const beganMs = performance.now();
  const part = await run.partOf(time);
  if (run.planned) return part;
  budgetOf(data)?.useDatabase(performance.now() - beganMs);
  if (part.untilSeconds < time.toSeconds) await budgetOf(data)?.assertMayContinue();
  return part;
}

/** The state of the reading of a run. */
interface Search {
  /** Null: the main track at the beginning of the range. */
  track: Track | null;
  /** The number of rows that are of no wanted order. */
  searched: number;
}

interface SearchedPart extends ReadPart {
  readonly search: Search;
}

async function rowsOfPart(
  data: Database,
  stream: Stream,
  run: AirRun,
  { timelines, fromSeconds, untilSeconds, isFirst, search }: SearchedPart,
  query: OnAirQuery,
): Promise<OnAirRow[]> {
  const { framesPerSecond: rate, anchoredAt } = run;
  const atSeconds = elapsedSecondsOf(anchoredAt, query.from);
  search.track ??= mainTrackOf(timelines, atSeconds, run.planned ? stream.planned_tracks : null);
  const { track } = search;
  const timeline = timelines[track];
  if (itemsPlayed(timeline[0]?.snapshot).length === 0) return [];
  const overMs = run.endsAt?.getTime() ?? Infinity;
  const to = new Date(Math.min(query.to.getTime(), overMs + (run.planned ? 0 : mostAheadMs)));
  const { frameAt, timeOf } = runClock(anchoredAt, rate);
  const { orderReference = null } = query;
  const fromFrame = isFirst ? Math.floor(frameAt(query.from)) : Math.round(fromSeconds * rate);
  const untilFrame = Math.round(untilSeconds * rate);
  const found: ItemOccurrence[] = [];
  for (const occurrence of occurrencesFrom(timeline, fromFrame, rate)) {
    const { startFrame } = occurrence;
    if (timeOf(startFrame) >= to || startFrame >= untilFrame || found.length === query.count) break;
    if (isBeyondPlan(timeline, occurrence) && timeOf(startFrame) > query.now) break;
    if (!isFirst && startFrame < fromFrame) continue;
    if (orderReference === null || occurrence.item.order?.reference === orderReference) found.push(occurrence);
    else if (search.searched++ === mostSearched) throw new TooManyRows();
  }
  const last = found.at(-1);
  if (!last) return [];
  const endOf = ({ startFrame, frameCount }: ItemOccurrence) => startFrame + frameCount;
  const aired = run.planned
    ? []
    : await data.runs.aired(stream.id, anchoredAt, found[0]!.startFrame, endOf(last), mostStretches);
  const ofTrack = airedOfTrack(aired, track);
  return found.flatMap((occurrence): OnAirRow[] => {
    const { startFrame, planned } = occurrence;
    const [startAt, itemStartAt] = [timeOf(startFrame), timeOf(planned?.itemStartFrame ?? startFrame)];
    const isToCome = run.planned !== null || startAt > query.now;
    const parts = isToCome ? null : airedPartsOf(occurrence, ofTrack, rate);
    let endAt = new Date(Math.min(timeOf(endOf(occurrence)).getTime(), overMs));
    if (startAt.getTime() >= overMs) {
      const sent = parts?.at(-1);
      if (!sent) return [];
      endAt = timeOf(startFrame + Math.round(sent.toSeconds * rate));
    }
    const times = { startAt, endAt, itemStartAt };
    const ofRun = { framesPerSecond: rate, format: run.format, track, runEndsAt: run.endsAt, timelines };
    return [{ ...times, ...ofRun, occurrence, aired: parts }];
  });
}

/** Whether an occurrence is behind the last row of a programme: its last entry repeats there. */
function isBeyondPlan(timeline: readonly TimelineEntry[], { planned, lap, entryNumber }: ItemOccurrence): boolean {
  return planned !== undefined && lap > 0 && entryNumber === timeline.at(-1)!.number;
}

/** The runs of a stream between two times that have begun, in order. */
export async function begunRuns(data: Database, stream: Stream, query: OnAirQuery): Promise<AirRun[]> {
  const { from, to, count } = query;
  const past = (await data.runs.between(stream.id, from, to, count)).map((run): AirRun => ({
    anchoredAt: run.anchored_at,
    endsAt: run.ended_at,
    format: formatOfPast(run),
    framesPerSecond: framesPerSecond[run.framerate],
    partOf: (time) => data.runs.partOf(stream.id, run.anchored_at, time),
    planned: null,
  }));
  const present = stream.anchored_at === null ? null : presentRun(data, stream, query);
  const isBetween = ({ anchoredAt, endsAt }: AirRun) => anchoredAt < to && (endsAt === null || endsAt > from);
  return [...past, ...(present && isBetween(present) ? [present] : [])];
}

/** All runs of a stream between two times, in order, with the time until which they are known; null: all are. */
async function airRuns(data: Database, stream: Stream, query: OnAirQuery, plans: PlannedRuns) {
  const { from, to, now, drafts, beginsAt = now } = query;
  const begun = await begunRuns(data, stream, query);
  const count = Math.min(query.count, mostPlanned.runs);
  const { times, to: endsAt } = await plannedTimes(data, stream, {
    from,
    to,
    count,
    now,
    plannedAt: drafts && beginsAt,
  });
  if (times.length === 0) return { runs: begun, endsAt };
  const format = await plans.format();
  const toCome = times.map((planned): AirRun => ({
    anchoredAt: planned.startAt,
    endsAt: planned.endsAt,
    format,
    framesPerSecond: framesPerSecond[format.framerate],
    partOf: async () => wholePart(await plans.timelinesOf(planned)),
    planned,
  }));
  return { runs: [...begun, ...toCome], endsAt };
}

function wholePart(timelines: Timelines): RunPart {
  return { timelines, untilSeconds: Infinity };
}

function formatOfPast({ quality, framerate, video_codec: videoCodec, aspect }: PastRun): PictureFormat {
  return { quality, framerate, videoCodec, ...ofAspect(aspect) };
}

function presentRun(data: Database, stream: Stream, { drafts, now }: OnAirQuery): AirRun {
  const live = (time: RunTime) => data.timelines.partOf(stream.id, time);
  const elapsedSeconds = elapsedSecondsOf(stream.anchored_at, now);
  const withDrafts = async (time: RunTime, replacing: NonNullable<OnAirQuery['drafts']>): Promise<RunPart> => {
    if (time.fromSeconds >= elapsedSeconds)
      return wholePart(await draftTimelines(data, stream, await timelinesAhead(data, stream, now), replacing, now));
    const { timelines, untilSeconds } = await live({ ...time, toSeconds: elapsedSeconds });
    return { timelines, untilSeconds: Math.min(untilSeconds, elapsedSeconds) };
  };
  const mayChange = isLive(stream.state) && stream.state !== 'stopping';
  return {
    anchoredAt: stream.anchored_at!,
    endsAt: mayChange ? endOfRun(stream, stream.started_at) : (stream.stopped_at ?? now),
    format: formatOfRun(stream),
    framesPerSecond: framesPerSecond[stream.run_framerate as Framerate],
    partOf: drafts === null || !mayChange ? live : (time) => withDrafts(time, drafts),
    planned: null,
  };
}

/** The accepted frames of one track. */
export function airedOfTrack(aired: readonly AiredOfTracks[], track: Track): AiredFrames[] {
  return aired.map(({ standInIDs, ...frames }) => ({ ...frames, standInID: standInIDs[track] }));
}

/**
 * The main track at a time of a run: the sound if several tracks play to one picture, as on a music channel; else the
 * pictures.
 * @param planned tracks that a programme plans for this run only: each counts as several items. Null: none
 */
export function mainTrackOf(timelines: Timelines, atSeconds: number, planned: readonly Track[] | null = null): Track {
  const hasSeveral = (track: Track) => {
    if (planned?.includes(track)) return true;
    const lists = timelines[track].filter(({ snapshot }) => !snapshot.isQueued);
    const entry = lists.findLast(({ offsetSeconds }) => offsetSeconds <= atSeconds) ?? lists[0];
    return itemsPlayed(entry?.snapshot).length > 1;
  };
  return !hasSeveral('video') && hasSeveral('audio') ? 'audio' : 'video';
}

// The items that a stream plays at any time, past and future: computed from its timelines, and never logged.
import type { Database } from '../../data/database.ts';
import { formatOfRun } from '../../data/streams/streams.ts';
import type { Stream } from '../../data/streams/streams.ts';
import type { AiredOfTracks, PastRun } from '../../data/playout/runs.ts';
import type { RunTime, Timelines, Track } from '../../data/playout/timelines.ts';
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
import { draftTimelines, timelinesOfStart } from './planned-timelines.ts';
import { endOfRun, plannedTimes } from '../schedule/planned-times.ts';

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
  /** The timelines that are in force during a part of the run. */
  readonly timelines: (time: RunTime) => Promise<Timelines>;
  /** Whether the run has begun. */
  readonly isBegun: boolean;
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

/** A range with more rows than are searched for those of an order. */
export class TooManyRows extends Error {
  override readonly name = 'TooManyRows';
}

/** The most rows of a run that are searched for those of an order. */
const mostSearched = 100_000;
/** The most stretches that are read for the rows of a page. */
const mostStretches = 20_000;
/** The most that media is sent ahead of its time: destinations may have accepted this much after the end of a run. */
const mostAheadMs = 1000;

/**
 * The items that a stream plays between two times, in order, beginning with the one on the air at `from`.
 * @throws {TooManyRows} only with an order
 */
export async function onAirRows(data: Database, stream: Stream, query: OnAirQuery): Promise<OnAirRow[]> {
  const rows: OnAirRow[] = [];
  for (const run of await airRuns(data, stream, query)) {
    if (rows.length >= query.count) break;
    rows.push(...(await rowsOfRun(data, stream, run, { ...query, count: query.count - rows.length })));
  }
  return rows;
}

async function rowsOfRun(data: Database, stream: Stream, run: AirRun, query: OnAirQuery): Promise<OnAirRow[]> {
  const { framesPerSecond: rate, anchoredAt } = run;
  const secondsAt = (at: Date) => elapsedSecondsOf(anchoredAt, at);
  const timelines = await run.timelines({ fromSeconds: secondsAt(query.from), toSeconds: secondsAt(query.to) });
  const track = query.track ?? mainTrackOf(timelines, secondsAt(query.from));
  const timeline = timelines[track];
  if (itemsPlayed(timeline[0]?.snapshot).length === 0) return [];
  const overMs = run.endsAt?.getTime() ?? Infinity;
  const to = new Date(Math.min(query.to.getTime(), overMs + (run.isBegun ? mostAheadMs : 0)));
  const { frameAt, timeOf } = runClock(anchoredAt, rate);
  const { orderReference = null } = query;
  const found: ItemOccurrence[] = [];
  let searched = 0;
  for (const occurrence of occurrencesFrom(timeline, Math.floor(frameAt(query.from)), rate)) {
    if (timeOf(occurrence.startFrame) >= to || found.length === query.count) break;
    if (isBeyondPlan(timeline, occurrence) && timeOf(occurrence.startFrame) > query.now) break;
    if (orderReference === null || occurrence.item.order?.reference === orderReference) found.push(occurrence);
    else if (searched++ === mostSearched) throw new TooManyRows();
  }
  const last = found.at(-1);
  if (!last) return [];
  const endOf = ({ startFrame, frameCount }: ItemOccurrence) => startFrame + frameCount;
  const aired = run.isBegun
    ? await data.runs.aired(stream.id, anchoredAt, found[0]!.startFrame, endOf(last), mostStretches)
    : [];
  const ofTrack = airedOfTrack(aired, track);
  return found.flatMap((occurrence): OnAirRow[] => {
    const { startFrame, planned } = occurrence;
    const [startAt, itemStartAt] = [timeOf(startFrame), timeOf(planned?.itemStartFrame ?? startFrame)];
    const isToCome = !run.isBegun || startAt > query.now;
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

/** The runs of a stream between two times, in order. */
export async function airRuns(data: Database, stream: Stream, query: OnAirQuery): Promise<AirRun[]> {
  const { from, to, now, count, drafts, beginsAt = now } = query;
  const past = (await data.runs.between(stream.id, from, to, count)).map((run): AirRun => ({
    anchoredAt: run.anchored_at,
    endsAt: run.ended_at,
    format: formatOfPast(run),
    framesPerSecond: framesPerSecond[run.framerate],
    timelines: (time) => data.runs.timelines(stream.id, run.anchored_at, time),
    isBegun: true,
  }));
  const present = stream.anchored_at === null ? null : presentRun(data, stream, query);
  const isBetween = ({ anchoredAt, endsAt }: AirRun) => anchoredAt < to && (endsAt === null || endsAt > from);
  const begun = [...past, ...(present && isBetween(present) ? [present] : [])];
  const planned = await plannedTimes(stream, { from, to, count, now, plannedAt: drafts && beginsAt });
  if (planned.length === 0) return begun;
  const { format, timelinesAt } = await timelinesOfStart(data, stream, now);
  const toCome = planned.map(({ startAt, scheduledAt, endsAt }): AirRun => ({
    anchoredAt: startAt,
    endsAt,
    format,
    framesPerSecond: framesPerSecond[format.framerate],
    timelines: () => timelinesAt(scheduledAt),
    isBegun: false,
  }));
  return [...begun, ...toCome];
}

function formatOfPast({ quality, framerate, video_codec: videoCodec, aspect }: PastRun): PictureFormat {
  return { quality, framerate, videoCodec, ...ofAspect(aspect) };
}

function presentRun(data: Database, stream: Stream, { drafts, now }: OnAirQuery): AirRun {
  const live = (time: RunTime) => data.timelines.ofStream(stream.id, time);
  // Drafts replace the entries that are in force soon after now.
  const sinceNow = ({ fromSeconds }: RunTime) => {
    return { fromSeconds: Math.min(fromSeconds, elapsedSecondsOf(stream.anchored_at, now)), toSeconds: Infinity };
  };
  const mayChange = isLive(stream.state) && stream.state !== 'stopping';
  return {
    anchoredAt: stream.anchored_at!,
    endsAt: mayChange ? endOfRun(stream, stream.started_at) : (stream.stopped_at ?? now),
    format: formatOfRun(stream),
    framesPerSecond: framesPerSecond[stream.run_framerate as Framerate],
    timelines:
      drafts === null || !mayChange
        ? live
        : async (time) => draftTimelines(data, stream, await live(sinceNow(time)), drafts, now),
    isBegun: true,
  };
}

/** The accepted frames of one track. */
export function airedOfTrack(aired: readonly AiredOfTracks[], track: Track): AiredFrames[] {
  return aired.map(({ standInIDs, ...frames }) => ({ ...frames, standInID: standInIDs[track] }));
}

/**
 * The main track at a time of a run: the sound if several tracks play to one picture, as on a music channel; else the
 * pictures.
 */
export function mainTrackOf({ video, audio }: Timelines, atSeconds: number): Track {
  const itemsOf = (timeline: readonly TimelineEntry[]) => {
    const entry = timeline.findLast(({ offsetSeconds }) => offsetSeconds <= atSeconds) ?? timeline[0];
    return itemsPlayed(entry?.snapshot).length;
  };
  return itemsOf(video) < 2 && itemsOf(audio) > 1 ? 'audio' : 'video';
}

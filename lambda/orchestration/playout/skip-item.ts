// Skips an item of a stream on the air: the next one begins in its place, in the same order.
import type { Database } from '../../data/database.ts';
import type { Track } from '../../data/playout/timelines.ts';
import type { Locked } from '../../data/shared/locked.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { effectiveAheadSeconds, itemsPlayed, occurrenceAt } from '../../domain/playout/play-out.ts';
import type { TimelineEntry } from '../../domain/playout/play-out.ts';
import { nextCopySeconds } from '../../domain/playout/list-copies.ts';
import { endOfQueue, entriesBehind, queueAt } from '../../domain/playout/queued-items.ts';
import { bounds } from '../../domain/shared/bounds.ts';
import { framesPerSecond } from '../../domain/shared/video-format.ts';
import { elapsedSecondsOf, runClock } from '../../domain/streams/run-clock.ts';
import { mainTrackOf } from './on-air-rows.ts';
import { planRun } from './plan-run.ts';
import { timelinesAhead } from './timelines-ahead.ts';
import type { PlanRunOptions } from './plan-run.ts';
import { refreshJoins } from './prepare-joins.ts';
import { listFrom } from './replace-upcoming-items.ts';

/** A row of a timeline, by its beginning and its upload: two requests that name one row skip one. */
export interface SkippedRow {
  readonly startAt: Date;
  readonly uploadID: string;
  /** Null: the main track, see `mainTrackOf`. */
  readonly track: Track | null;
}

/**
 * Skips a row that plays, or will, of a stream with an anchor. The row ends in 10 seconds at the earliest.
 * @returns the time at which the next item begins; `too_late`: the row is over by then, or is none of the timeline;
 *   `too_many`: as many later rows are skipped as may be at a time
 */
export async function skipItem(
  data: Database,
  stream: Locked<Stream>,
  row: SkippedRow,
  options: PlanRunOptions,
): Promise<Date | 'too_late' | 'too_many'> {
  const rate = framesPerSecond[stream.run_framerate!];
  const elapsedSeconds = elapsedSecondsOf(stream.anchored_at, options.now);
  const timelines = await timelinesAhead(data, stream, options.now);
  const track = row.track ?? mainTrackOf(timelines, elapsedSeconds);
  const { frameAt, timeOf } = runClock(stream.anchored_at!, rate);
  const earliestFrame = Math.ceil((elapsedSeconds + effectiveAheadSeconds) * rate);
  const span = spanOf(timelines[track], Math.floor(frameAt(row.startAt)), row.uploadID, rate);
  const frame = span && Math.max(earliestFrame, span.startFrame);
  if (frame === null || frame >= span!.endFrame) return 'too_late';
  const isPlanned = stream.planned_tracks?.includes(track);
  if (!isPlanned && !mayCopy(timelines[track], elapsedSeconds, frame / rate)) return 'too_many';
  if (isPlanned) await planRun(data, stream, { ...options, skipped: { track, frame } });
  else await continueList(data, stream, track, { timeline: timelines[track], frame, endFrame: span!.endFrame });
  return timeOf(frame);
}

/**
 * Lets the next item of a list begin at a future frame, in place of the rest of the one that plays then. A programme
 * keeps its plan, and a list that was copied lately its entries.
 */
export async function beginNextItem(data: Database, stream: Locked<Stream>, frame: number, now: Date): Promise<void> {
  const rate = framesPerSecond[stream.run_framerate!];
  const timelines = await timelinesAhead(data, stream, now);
  const track = mainTrackOf(timelines, frame / rate);
  const timeline = timelines[track];
  if (stream.planned_tracks?.includes(track)) return;
  const { startFrame, frameCount } = occurrenceAt(timeline, frame, rate);
  if (startFrame === frame || !mayCopy(timeline, elapsedSecondsOf(stream.anchored_at, now), frame / rate)) return;
  await continueList(data, stream, track, { timeline, frame, endFrame: startFrame + frameCount });
}

/** The frames of the row that begins at a frame with an upload; null: there is no such row from now on. */
function spanOf(timeline: readonly TimelineEntry[], frame: number, uploadID: string, rate: number) {
  const [first] = timeline;
  if (!first || itemsPlayed(first.snapshot).length === 0 || frame < Math.round(first.offsetSeconds * rate)) return null;
  const { item, startFrame, frameCount } = occurrenceAt(timeline, frame, rate);
  return startFrame === frame && item.uploadID === uploadID ? { startFrame, endFrame: startFrame + frameCount } : null;
}

/** A row of a list that ends sooner. */
interface ShortenedRow {
  readonly timeline: readonly TimelineEntry[];
  readonly frame: number;
  readonly endFrame: number;
}

/** Whether a list may continue as another copy at a time: few begin before it from now on, and the last one rests. */
function mayCopy(timeline: readonly TimelineEntry[], nowSeconds: number, atSeconds: number): boolean {
  const isBefore = (seconds: number) => seconds > nowSeconds && seconds < atSeconds;
  const ahead = timeline.filter(({ snapshot, offsetSeconds }) => !snapshot.isQueued && isBefore(offsetSeconds));
  return ahead.length < bounds.listsAhead && nextCopySeconds(timeline, atSeconds) === atSeconds;
}

/** Continues a playlist at a frame as it would at the end of the row, behind the items that are queued there. */
async function continueList(
  data: Database,
  stream: Locked<Stream>,
  track: Track,
  { timeline, frame, endFrame }: ShortenedRow,
): Promise<void> {
  const rate = framesPerSecond[stream.run_framerate!];
  const queued = queueAt(timeline, endFrame, rate).map(({ snapshot }) => snapshot);
  const snapshot = listFrom(timeline, endOfQueue(timeline, endFrame, rate), rate);
  const list = { playlistID: timeline.at(-1)!.playlistID, snapshot };
  await data.timelines.replaceFrom(stream.id, track, frame / rate, entriesBehind(frame, queued, list, rate));
  await refreshJoins(data, stream, await data.now());
}

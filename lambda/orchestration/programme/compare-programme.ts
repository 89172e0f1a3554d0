// Compares the draft of a programme with the version that its stream plays, from the next boundary on.
import type { Database } from '../../data/database.ts';
import type { Programme, StoredRules } from '../../data/programme/programmes.ts';
import { formatOfStart } from '../../data/streams/streams.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { changedRules, comparePlans } from '../../domain/programme/comparison.ts';
import type { PlanComparison } from '../../domain/programme/comparison.ts';
import { frameOfMs } from '../../domain/programme/frame-grid.ts';
import type { FrameGrid } from '../../domain/programme/frame-grid.ts';
import { framesPerSecond } from '../../domain/shared/video-format.ts';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import { elapsedSecondsOf } from '../../domain/streams/run-clock.ts';
import { placeInRun, planProgramme } from './plan-programme.ts';

export interface ComparedProgramme {
  readonly comparison: PlanComparison;
  /** As of `changedRules`. */
  readonly changed: readonly string[];
  readonly grid: FrameGrid;
  readonly fromFrame: number;
  readonly endFrame: number;
}

const hourMs = 3_600_000;
/** Hours that both plans have behind the wanted ones, so that rows that move have their counterparts. */
const moreHours = 2;
/** Rows of each plan. Longer plans end sooner. */
const mostRows = 3000;

/** @param hours to compare */
export async function compareProgramme(
  data: Database,
  programme: Programme,
  { now, hours }: { readonly now: Date; readonly hours: number },
): Promise<ComparedProgramme> {
  const { live, draft, seed } = programme;
  const stream = (await data.streams.find(programme.user_id, programme.stream_id))!;
  const place = await placeOf(data, stream, programme, now);
  const untilMs = now.getTime() + (hours + moreHours) * hourMs;
  const planOf = (rules: StoredRules) => {
    const published = { ...programme, live: { ...rules, version: programme.version, publishedAt: now.toISOString() } };
    return planProgramme(data, { stream, programme: published, ...place, untilMs, mostRows });
  };
  const [before, after] = [live && (await planOf(live)), await planOf(draft)];
  const wantedFrame = frameOfMs(place.grid, now.getTime() + hours * hourMs);
  const endFrame = Math.min(wantedFrame, before?.endFrame ?? Infinity, after.endFrame);
  const fromFrame = Math.min(before?.fromFrame ?? Infinity, after.fromFrame);
  return {
    comparison: comparePlans(before?.rows ?? [], after.rows, endFrame),
    changed: changedRules(live && { ...live, seed }, { ...draft, seed }),
    grid: place.grid,
    fromFrame,
    endFrame,
  };
}

/** The grid and the first frames that a publish could change now; for a stream off the air, those of a start. */
async function placeOf(data: Database, stream: Stream, programme: Programme, now: Date) {
  if (isLive(stream.state) && stream.anchored_at !== null) {
    const time = { fromSeconds: elapsedSecondsOf(stream.anchored_at, now), toSeconds: Infinity };
    const timeline = (await data.timelines.ofStream(stream.id, time))[programme.kind];
    if (timeline.length > 0) return placeInRun(stream, timeline, now);
  }
  const { framerate: next } = formatOfStart(stream, (await data.users.find(stream.user_id))!);
  const grid: FrameGrid = { anchoredAtMs: now.getTime(), framesPerSecond: framesPerSecond[next] };
  return { grid, earliestFrame: 0, boundaryFrame: 0 };
}

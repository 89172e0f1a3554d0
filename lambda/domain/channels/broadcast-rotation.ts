// Rotation of broadcasts: platforms limit the recording of one, so another broadcast follows it in time.
import { boundaryAfter } from '../playout/play-out.ts';
import type { TimelineEntry } from '../playout/play-out.ts';

/** Seconds between the making of the next broadcast and its going live. */
const prepareAheadSeconds = 600;
/** Largest random share of the interval that a rotation comes early, so that those of many streams do not coincide. */
const spreadShare = 0.02;

export interface RotatingRun {
  /** When the broadcast went live. */
  readonly liveAt: Date;
  readonly afterMinutes: number;
  /** Uniform in [0, 1), constant for one broadcast. */
  readonly spread: number;
  /**
   * Timeline of the run, from the due time on; empty, or with a null anchor, if unknown: the rotation then waits for no
   * item's end.
   */
  readonly timeline: readonly TimelineEntry[];
  readonly anchoredAt: Date | null;
  readonly framesPerSecond: number;
}

/** The time at which a rotation is due. */
export function dueAt({ liveAt, afterMinutes, spread }: Pick<RotatingRun, 'liveAt' | 'afterMinutes' | 'spread'>): Date {
  return new Date(liveAt.getTime() + afterMinutes * 60_000 * (1 - spread * spreadShare));
}

/** Times of a rotation: at the first item that begins after it is due. */
export function rotationOf(run: RotatingRun): { readonly prepareAt: Date; readonly at: Date } {
  const dueMs = dueAt(run).getTime();
  const prepareAt = new Date(dueMs - prepareAheadSeconds * 1000);
  if (run.anchoredAt === null || run.timeline.length === 0) return { prepareAt, at: new Date(dueMs) };
  const anchorMs = run.anchoredAt.getTime();
  const frame = Math.max(0, Math.ceil(((dueMs - anchorMs) / 1000) * run.framesPerSecond));
  const boundary = boundaryAfter(run.timeline, frame, run.framesPerSecond);
  return { prepareAt, at: new Date(anchorMs + (boundary / run.framesPerSecond) * 1000) };
}

// When a broadcast is followed by another one: platforms keep only so long a recording of one.
import { boundaryAfter } from '../playout/play-out.ts';
import type { TimelineEntry } from '../playout/play-out.ts';

/** The next broadcast is made so long before it is taken live. */
const prepareAheadSeconds = 600;
/** Rotations come up to so much earlier than they are asked for, so that those of many streams do not come at once. */
const spreadShare = 0.02;

export interface RotatingRun {
  /** When the broadcast went live. */
  readonly liveAt: Date;
  readonly afterMinutes: number;
  /** Uniform in [0, 1), the same for the same broadcast. */
  readonly spread: number;
  /** What the run plays; empty, or null anchor, where that is not known: then no item's end is waited for. */
  readonly timeline: readonly TimelineEntry[];
  readonly anchoredAt: Date | null;
  readonly framesPerSecond: number;
}

/** At the first item that begins after the time has come. */
export function rotationOf(run: RotatingRun): { readonly prepareAt: Date; readonly at: Date } {
  const aliveMs = run.afterMinutes * 60_000 * (1 - run.spread * spreadShare);
  const dueMs = run.liveAt.getTime() + aliveMs;
  const prepareAt = new Date(dueMs - prepareAheadSeconds * 1000);
  if (run.anchoredAt === null || run.timeline.length === 0) return { prepareAt, at: new Date(dueMs) };
  const anchorMs = run.anchoredAt.getTime();
  const frame = Math.max(0, Math.ceil(((dueMs - anchorMs) / 1000) * run.framesPerSecond));
  const boundary = boundaryAfter(run.timeline, frame, run.framesPerSecond);
  return { prepareAt, at: new Date(anchorMs + (boundary / run.framesPerSecond) * 1000) };
}

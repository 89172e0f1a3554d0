// Queued items of a timeline: entries that play an item once, between two parts of a list. Decision D265.
import { boundaryAfter } from './play-out.ts';
import type { TimelineEntry, TimelineSnapshot } from './play-out.ts';

type NewEntry = Omit<TimelineEntry, 'number'>;

/** The queued items that begin at a time or later, in seconds after the anchor of the run. */
export function queuedFrom(timeline: readonly TimelineEntry[], seconds: number): readonly TimelineEntry[] {
  return timeline.filter(({ snapshot, offsetSeconds }) => snapshot.isQueued && offsetSeconds >= seconds);
}

/** The queued items that follow each other from a frame on. */
export function queueAt(timeline: readonly TimelineEntry[], frame: number, framesPerSecond: number): TimelineEntry[] {
  const first = timeline.findIndex(
    ({ snapshot, offsetSeconds }) => snapshot.isQueued && Math.round(offsetSeconds * framesPerSecond) === frame,
  );
  if (first < 0) return [];
  const behind = timeline.slice(first);
  const end = behind.findIndex(({ snapshot }) => !snapshot.isQueued);
  return end < 0 ? behind : behind.slice(0, end);
}

/** The frame at which queued items that begin at a frame end; that frame if none does. */
export function endOfQueue(timeline: readonly TimelineEntry[], frame: number, framesPerSecond: number): number {
  const queue = queueAt(timeline, frame, framesPerSecond);
  const last = queue.at(-1);
  if (!last) return frame;
  return boundaryAfter(timeline, Math.round(last.offsetSeconds * framesPerSecond) + 1, framesPerSecond);
}

/** The frame at which the list was left for queued items that end at a frame; that frame if there are none. */
export function frameBeforeQueue(timeline: readonly TimelineEntry[], frame: number, framesPerSecond: number): number {
  let leftAt = frame;
  for (const { snapshot, offsetSeconds } of timeline.toReversed()) {
    const start = Math.round(offsetSeconds * framesPerSecond);
    if (start >= leftAt) continue;
    if (!snapshot.isQueued) break;
    leftAt = start;
  }
  return leftAt;
}

/** Entries that play queued items from a frame on, each once, and a list behind them. */
export function entriesBehind(
  frame: number,
  queued: readonly TimelineSnapshot[],
  list: Pick<TimelineEntry, 'playlistID' | 'snapshot'>,
  framesPerSecond: number,
): NewEntry[] {
  const entries: NewEntry[] = [];
  let at = frame;
  for (const snapshot of queued) {
    const entry = { playlistID: null, offsetSeconds: at / framesPerSecond, snapshot };
    entries.push(entry);
    at = boundaryAfter([{ number: 0, ...entry }], at + 1, framesPerSecond);
  }
  return [...entries, { ...list, offsetSeconds: at / framesPerSecond }];
}

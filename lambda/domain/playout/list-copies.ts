// The rest between two copies of a list on the air: each change of it begins an entry with all its items.
import { bounds } from '../shared/bounds.ts';
import type { TimelineEntry } from './play-out.ts';

/**
 * The earliest time of the next copy of a list on the air, in seconds after the anchor of its run: a long list rests
 * longer behind its last copy. Decision D267.
 * @param earliestSeconds the earliest time without a rest
 */
export function nextCopySeconds(timeline: readonly TimelineEntry[], earliestSeconds: number): number {
  const last = timeline.findLast(
    ({ snapshot, offsetSeconds }) => !snapshot.isQueued && offsetSeconds < earliestSeconds,
  );
  if (!last) return earliestSeconds;
  const restSeconds =
    (60 * new TextEncoder().encode(JSON.stringify(last.snapshot)).length) / bounds.copiedListBytesPerMinute;
  return Math.max(earliestSeconds, last.offsetSeconds + Math.min(60, restSeconds));
}

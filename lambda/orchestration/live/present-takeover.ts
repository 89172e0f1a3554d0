// The takeover of a stream that waits for its beginning, is shown, lost within its grace, or about to end.
import type { Database } from '../../data/database.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { framesPerSecond } from '../../domain/shared/video-format.ts';
import { runClock } from '../../domain/streams/run-clock.ts';

export interface PresentTakeover {
  readonly takeoverID: string;
  /** Null: the input was deleted. */
  readonly liveInputID: string | null;
  /**
   * `planned`: it begins at `startAt`. `waiting`: it begins with a stable session. `lost`: the next session of the
   * input continues it. `ending`: it returns at `returnsAt`.
   */
  readonly state: 'planned' | 'waiting' | 'shown' | 'lost' | 'ending';
  /** The planned beginning; null: as soon as possible. */
  readonly startAt: Date | null;
  /** The beginning of its current or last session on the air; null: it is not known yet. */
  readonly shownAt: Date | null;
  /** The planned end; null: none is. */
  readonly endAt: Date | null;
  /** The return to the timeline; null: none is planned. */
  readonly returnsAt: Date | null;
}

/** @returns null if the stream shows its timeline, and no takeover of it is open */
export async function presentTakeoverOf(data: Database, stream: Stream, now: Date): Promise<PresentTakeover | null> {
  if (stream.anchored_at === null || stream.run_framerate === null) return null;
  const last = await data.takeovers.lastOf(stream.id);
  if (!last) return null;
  const isEnded = last.ended_at !== null;
  const { id: takeoverID, live_input_id: liveInputID, start_at: startAt, end_at: endAt } = last;
  const facts = { takeoverID, liveInputID, startAt, endAt };
  const interval = last.intervals.at(-1);
  if (!interval) {
    const state = startAt !== null && startAt > now ? 'planned' : 'waiting';
    return isEnded ? null : { ...facts, state, shownAt: null, returnsAt: null };
  }
  const { timeOf } = runClock(stream.anchored_at, framesPerSecond[stream.run_framerate]);
  const returnsAt = interval.toFrame === null ? null : timeOf(interval.slate?.toFrame ?? interval.toFrame);
  if (isEnded && (returnsAt === null || returnsAt <= now)) return null;
  return {
    ...facts,
    state: isEnded ? 'ending' : returnsAt === null ? 'shown' : 'lost',
    shownAt: timeOf(interval.fromFrame),
    returnsAt,
  };
}

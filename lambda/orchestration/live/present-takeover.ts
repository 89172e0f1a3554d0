// The takeover of a stream that is planned, shown, lost within its grace, or about to end.
import type { Database } from '../../data/database.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { framesPerSecond } from '../../domain/shared/video-format.ts';
import { runClock } from '../../domain/streams/run-clock.ts';

export interface PresentTakeover {
  readonly takeoverID: string;
  /** Null: the input was deleted. */
  readonly liveInputID: string | null;
  /** `lost`: the next session of the input continues it. `ending`: it returns at `returnsAt`. */
  readonly state: 'shown' | 'lost' | 'ending';
  /** The beginning of its current or last session on the air. */
  readonly shownAt: Date;
  /** The planned end; null: none is. */
  readonly endAt: Date | null;
  /** The return to the timeline; null: none is planned. */
  readonly returnsAt: Date | null;
}

/** @returns null if the stream shows its timeline, and no takeover of it is open */
export async function presentTakeoverOf(data: Database, stream: Stream, now: Date): Promise<PresentTakeover | null> {
  if (stream.anchored_at === null || stream.run_framerate === null) return null;
  const last = await data.takeovers.lastOf(stream.id);
  const interval = last?.intervals.at(-1);
  if (!last || !interval) return null;
  const { timeOf } = runClock(stream.anchored_at, framesPerSecond[stream.run_framerate]);
  const returnsAt = interval.toFrame === null ? null : timeOf(interval.toFrame);
  const isEnded = last.ended_at !== null;
  if (isEnded && (returnsAt === null || returnsAt <= now)) return null;
  return {
    takeoverID: last.id,
    liveInputID: last.live_input_id,
    state: isEnded ? 'ending' : returnsAt === null ? 'shown' : 'lost',
    shownAt: timeOf(interval.fromFrame),
    endAt: last.end_at,
    returnsAt,
  };
}

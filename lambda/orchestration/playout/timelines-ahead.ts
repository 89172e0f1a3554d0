// The timelines of a stream from now on, which are all that a change of them reads.
import type { Database } from '../../data/database.ts';
import type { Timelines } from '../../data/playout/timelines.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { elapsedSecondsOf } from '../../domain/streams/run-clock.ts';

/**
 * @param stream if it has no anchor, its timelines begin with the run
 * @param now by the clock of the database
 */
export function timelinesAhead(data: Database, stream: Stream, now: Date): Promise<Timelines> {
  const fromSeconds = elapsedSecondsOf(stream.anchored_at, now);
  return data.timelines.ofStream(stream.id, { fromSeconds, toSeconds: Infinity });
}

// Asks for the plan that has changes of a programme, its queue or its look: one plan has all that come before it.
import type { Database } from '../../data/database.ts';
import type { Track } from '../../data/playout/timelines.ts';
import type { Programme } from '../../data/programme/programmes.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { programmeBounds } from '../../domain/programme/programme-faults.ts';

/**
 * Has a stream on the air planned soon: at once, unless its programme or queue changed very often lately.
 * @returns the time at which it is planned at the latest
 */
export async function planSoon(
  data: Database,
  { id, stream_id: streamID }: Pick<Programme, 'id' | 'stream_id'>,
  now: Date,
): Promise<Date> {
  const at = await data.programmes.changePlanAt(id, programmeBounds.changePlans, now);
  await data.dueTimes.setNoLater(streamID, 'plan', at);
  return at;
}

/** Has a stream on the air planned soon, as `planSoon` does, for a change that concerns the programme of one track. */
export async function planTrackSoon(
  data: Database,
  { id }: Pick<Stream, 'id'>,
  track: Track,
  now: Date,
): Promise<void> {
  const programmes = await data.programmes.ofStreams([id]);
  const programme = programmes.find(({ kind }) => kind === track);
  if (programme) await planSoon(data, programme, now);
}

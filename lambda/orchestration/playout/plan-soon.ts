// Asks for the plan that has changes of a programme or its queue: one plan has all changes that come before it.
import type { Database } from '../../data/database.ts';
import type { Programme } from '../../data/programme/programmes.ts';
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

// Locks a programme after its stream, in the order in which starts lock them.
import type { Programme } from '../../data/programme/programmes.ts';
import type { Locked } from '../../data/shared/locked.ts';
import type { Stream } from '../../data/streams/streams.ts';
import type { Context } from '../context.ts';
import { orNotFound } from '../fields.ts';

/** @throws {ProblemError} not_found */
export async function lockProgramme(
  { data, caller: { userID } }: Context,
  id: string,
): Promise<{ readonly stream: Locked<Stream>; readonly programme: Locked<Programme> }> {
  const { stream_id: streamID } = orNotFound(await data.programmes.find(userID, id), 'programme');
  const stream = orNotFound(await data.streams.lock(userID, streamID), 'programme');
  return { stream, programme: orNotFound(await data.programmes.lock(userID, id), 'programme') };
}

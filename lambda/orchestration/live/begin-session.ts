// The beginning of a contributor's session, within the bounds of its stream and of its user over all ingests.
import type { Database } from '../../data/database.ts';
import type { LiveInput } from '../../data/live/live-inputs.ts';
import type { NewSession } from '../../data/live/live-sessions.ts';
import { mostSessionsOf } from '../../domain/live/session-bounds.ts';
import { bounds } from '../../domain/shared/bounds.ts';

type BeginRefusal = 'share_used' | 'too_many_of_stream';

/**
 * Begins a session of an input, in a transaction of its own: begins of one user follow each other. Decision D287.
 * @returns null: it has begun. `share_used`: the user has as many running ones as one user may have.
 * `too_many_of_stream`: so has the stream, or the input has one or was deleted
 */
export async function beginSession(
  data: Database,
  { user_id: userID, is_funded: isFunded }: Pick<LiveInput, 'user_id' | 'is_funded'>,
  session: NewSession,
): Promise<BeginRefusal | null> {
  await data.liveSessions.lockBeginsOf(userID);
  if ((await data.liveSessions.countRunningOf(userID)) >= mostSessionsOf({ isFunded })) return 'share_used';
  const hasBegun = await data.liveSessions.begin(session, bounds.liveSessionsPerStream);
  return hasBegun ? null : 'too_many_of_stream';
}

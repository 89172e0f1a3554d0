// Has the platform's side of streams made anew. Changes of streams do that by a trigger (0008_channels.sql).
import type { Database } from '../../data/database.ts';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';

/** A request to try again within so long of the one before changes nothing. */
const retryCoalescedMs = 60_000;

/** What streams go by on a managed platform. */
export type ManagedPart = { readonly settingsID: string } | { readonly connectionID: string };

/**
 * Locks the streams that go by a part, before the caller locks the part itself.
 * @returns what `remirror` takes after the change
 */
export async function lockMirrorsOf(data: Database, part: ManagedPart): Promise<readonly string[]> {
  const streams = await data.streams.lockMany(await data.mirrorIntents.usersOf(part));
  return streams.map(({ id }) => id);
}

/**
 * Begins a generation for streams, which the caller has locked, as what they go by has changed. Those that were kept
 * for broadcasts that are gone are deleted.
 */
export async function remirror(data: Database, streamIDs: readonly string[], cause: string): Promise<void> {
  const kept: string[] = [];
  for (const { id, deleted_at: deletedAt, state } of await data.streams.lockMany(streamIDs)) {
    if (deletedAt !== null && !isLive(state) && !(await data.broadcasts.hasOpen(id))) await data.streams.delete(id);
    else kept.push(id);
  }
  await data.mirrorIntents.supersede(kept, cause);
}

/** Begins a generation although nothing has changed, for a stream that the caller has locked. */
export async function retryMirror(data: Database, streamID: string, now: Date): Promise<void> {
  const [last] = await data.mirrorIntents.lastOf([streamID]);
  const isRepeated = last?.cause === 'retry' && now.getTime() - last.created_at.getTime() < retryCoalescedMs;
  if (!isRepeated) await data.mirrorIntents.supersede([streamID], 'retry');
}

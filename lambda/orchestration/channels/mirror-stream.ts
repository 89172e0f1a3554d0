// Begins generations of the mirror, which reconcile platforms with streams. A trigger does so for changed streams.
import type { Database } from '../../data/database.ts';
import { isLive } from '../../domain/streams/stream-lifecycle.ts';
import type { Stream } from '../../data/streams/streams.ts';
import type { Locked } from '../../data/shared/locked.ts';

/** A retry within this time after the previous one changes nothing. */
const retryCoalescedMs = 60_000;

/** Settings or a connection that streams use on a managed platform. */
export type ManagedPart = { readonly settingsID: string } | { readonly connectionID: string };

/**
 * Locks the streams that use a part, before the caller locks the part itself.
 * @returns the ids for `remirror` after the change
 */
export async function lockMirrorsOf(data: Database, part: ManagedPart): Promise<readonly string[]> {
  const streams = await data.streams.lockMany(await data.mirrorIntents.usersOf(part));
  return streams.map(({ id }) => id);
}

/**
 * Begins a generation for streams after their settings or connection have changed. Deletes deleted streams whose rows
 * were kept only for broadcasts that have ended.
 */
export async function remirror(data: Database, streamIDs: readonly string[], cause: string): Promise<void> {
  const kept: Locked<Stream>[] = [];
  for (const stream of await data.streams.lockMany(streamIDs)) {
    const { id, deleted_at: deletedAt, state } = stream;
    if (deletedAt !== null && !isLive(state) && !(await data.broadcasts.hasOpen(id))) await data.streams.delete(id);
    else kept.push(stream);
  }
  await data.mirrorIntents.supersede(kept, cause);
}

/** Begins a generation for a stream although nothing has changed. */
export async function retryMirror(data: Database, stream: Locked<Stream>, now: Date): Promise<void> {
  const [last] = await data.mirrorIntents.lastOf([stream.id]);
  const isRepeated = last?.cause === 'retry' && now.getTime() - last.created_at.getTime() < retryCoalescedMs;
  if (!isRepeated) await data.mirrorIntents.supersede([stream], 'retry');
}

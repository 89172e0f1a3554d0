// Keeps an idle stream `invalid` exactly as long as a part that it names is deleted or has failed.
import type { Database } from '../../data/database.ts';
import type { StreamPart } from '../../data/streams/stream-parts.ts';
import type { Stream } from '../../data/streams/streams.ts';
import { hasMissingPart, lockParts } from './stream-parts.ts';
import type { Locked } from '../../data/shared/locked.ts';

/** Moves an idle stream to or from `invalid` by its parts. @returns the stream afterwards */
export async function judgeParts(data: Database, stream: Locked<Stream>): Promise<Locked<Stream>> {
  const missing = hasMissingPart(await lockParts(data, stream));
  return (await data.streamMoves.move(stream, missing ? 'part_missing' : 'parts_complete')) ?? stream;
}

/** Judges every idle stream that names a part which has just changed. */
export async function judgeUsersOf(data: Database, part: StreamPart): Promise<void> {
  for (const id of await data.streamParts.idleUsersOf(part)) {
    const stream = await data.streams.lockAny(id);
    if (stream) await judgeParts(data, stream);
  }
}

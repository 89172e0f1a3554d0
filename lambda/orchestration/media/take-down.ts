// Takes a content down everywhere: the streams that play it stop, and its uploads lose their bytes.
import type { Database } from '../../data/database.ts';
import type { HeldContent } from '../../data/media/blocked-contents.ts';
import { uploadURLSeconds } from '../../domain/media/upload-times.ts';
import { judgeUsersOf } from '../streams/judge-parts.ts';
import { stopStream } from '../streams/stop-stream.ts';

/** The failure of an upload with blocked content. */
export const contentBlocked = {
  code: 'content_blocked',
  detail: 'Whoever runs the platform has blocked this file. Upload another one.',
} as const;
const reason = {
  code: 'content_blocked',
  detail: 'Whoever runs the platform has blocked a file that the stream played. Start it again: it plays the others.',
};

export interface TakenDown {
  readonly uploads: readonly HeldContent[];
  readonly streamIDs: readonly string[];
}

/** Takes a content down, in the caller's transaction. Its renditions become orphans, which are deleted later. */
export async function takeDown(data: Database, bytesHash: string): Promise<TakenDown> {
  const uploads = await data.blockedContents.uploadsOf(bytesHash);
  const streamIDs = await data.blockedContents.streamsPlaying(uploads.map(({ id }) => id));
  // All streams are locked in the order of their ids, before rows that other transactions lock after streams.
  const streams = [];
  for (const id of streamIDs) streams.push(await data.streams.lockAny(id));
  for (const stream of streams) if (stream) await stopStream(data, stream, 'content_blocked', { reason });
  for (const { id, object_key: objectKey } of uploads) {
    await data.blockedContents.emptyUpload(id, contentBlocked);
    const command = { queue: 'media', body: { task: 'delete_object', objectKey } } as const;
    await data.outbox.send(command);
    // Deleted again later, as a valid upload URL can bring the bytes back.
    await data.outbox.send(command, 2 * uploadURLSeconds);
    await judgeUsersOf(data, { uploadID: id });
  }
  return { uploads, streamIDs };
}

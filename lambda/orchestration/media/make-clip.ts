// Makes an upload of a part of another upload: the same file, read from another time on. Decision D230.
import type { Database } from '../../data/database.ts';
import { contentFacts } from '../../data/media/uploads.ts';
import type { NewClip, Upload } from '../../data/media/uploads.ts';
import { clipFacts } from '../../domain/media/clips.ts';
import type { ClipTimes } from '../../domain/media/clips.ts';
import { bytesHashOf, contentHashOf } from '../../domain/playout/rendition.ts';

/** An upload, locked against deletion and blocking until the transaction ends; null: the user has none with this id. */
export async function lockToClip(data: Database, userID: string, id: string): Promise<Upload | null> {
  const found = await data.uploads.find(userID, id);
  if (found?.content_hash) await data.blockedContents.lock(bytesHashOf(found.content_hash));
  return (await data.uploads.lockManyForRead(userID, [id]))[0] ?? null;
}

/** @param whole from `lockToClip`, examined. If its content has no name yet, the clip gets one together with it. */
export async function makeClip(
  data: Database,
  whole: Upload,
  { times, ...clip }: Omit<NewClip, 'wholeID'> & { readonly times: ClipTimes },
): Promise<void> {
  await data.uploads.insertClip({ ...clip, wholeID: whole.id });
  const { durationSeconds, reading } = clipFacts(times, whole.reading);
  const probed = { ...whole, duration_seconds: durationSeconds, reading };
  await data.uploads.recordFacts(clip.id, probed);
  if (whole.content_hash === null) return;
  const contentHash = contentHashOf(bytesHashOf(whole.content_hash), contentFacts(probed));
  await data.uploads.recordContentHash(clip.id, contentHash);
}

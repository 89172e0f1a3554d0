// Requests the preparation of uploads that are recordings of takeovers.
import type { Database } from '../../data/database.ts';
import { requestWithinLimit } from './request-renditions.ts';

/** Requests the rendition that a recording's segments already are. Nothing happens for other uploads. */
export async function prepareRecording(data: Database, uploadID: string, limitFactor: number): Promise<void> {
  const recording = await data.liveRecordings.ofUpload(uploadID);
  if (!recording) return;
  const upload = await data.uploads.findAny(uploadID);
  if (upload?.probe_state !== 'completed') return;
  const wanted = { upload_id: uploadID, content_hash: upload.content_hash, format: recording.format };
  await requestWithinLimit(data, recording.user_id, [wanted], { retries: 'never', limitFactor });
}

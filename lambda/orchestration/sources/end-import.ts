// Ends an import: all bytes are stored and the upload is probed next, or the import has failed.
import type { Database } from '../../data/database.ts';
import type { ClaimedImport } from '../../data/sources/imports.ts';
import type { UploadFailure } from '../../data/media/uploads.ts';
import { applyProbeResult } from '../playout/apply-probe-result.ts';

/** Ends an import. @returns false, with nothing changed, if the upload was deleted or another worker has the import */
export async function endImport(
  data: Database,
  { upload_id: uploadID, user_id: userID, epoch }: Pick<ClaimedImport, 'upload_id' | 'user_id' | 'epoch'>,
  { bytesReceived, failure }: { bytesReceived: number; failure: UploadFailure | null },
  limitFactor: number,
): Promise<boolean> {
  // The upload is locked before its import, as in the deletion of an upload.
  const upload = await data.uploads.lock(userID, uploadID);
  if (!upload || !(await data.imports.end({ uploadID, epoch }, { bytesReceived, failure }))) return false;
  await data.sourceFiles.recordEnd(uploadID, failure !== null);
  if (failure === null) {
    await data.uploads.markUploaded(uploadID, bytesReceived);
    await data.outbox.send({ queue: 'media', body: { task: 'probe_upload', uploadID } });
  } else {
    await data.uploads.recordFailure(uploadID, failure);
    await applyProbeResult(data, uploadID, limitFactor);
  }
  return true;
}

// Reads and changes uploads in the database: keys, ages, and results of inspection, import and preparation.
import { databaseOn } from '../../lambda/data/database.ts';
import { one } from '../../lambda/data/shared/queryable.ts';
import { contentFacts } from '../../lambda/data/media/uploads.ts';
import { contentHashOf } from '../../lambda/domain/playout/rendition.ts';
import { sha256 } from '../../lambda/domain/shared/sha256.ts';
import type { WithPool } from './database.ts';

/** The key of an upload in the object store. The API never shows it. */
export async function objectKeyOf({ pool }: WithPool, uploadID: string): Promise<string> {
  const row = await one<{ object_key: string }>(pool(), 'select object_key from uploads where id = $1', [uploadID]);
  if (!row) throw new Error(`there is no upload ${uploadID}`);
  return row.object_key;
}

/** Makes a complete upload appear not inspected yet. */
export async function forgetProbe({ pool }: WithPool, uploadID: string): Promise<void> {
  await pool().query(`update uploads set probe_state = 'pending' where id = $1`, [uploadID]);
}

/** Marks the inspection of an upload as failed. */
export async function failProbe({ pool }: WithPool, uploadID: string, code: string): Promise<void> {
  await databaseOn(pool()).uploads.recordFailure(uploadID, { code, detail: 'It failed.' });
}

/** Names the content of an examined upload, as if its bytes had been read. */
export async function nameContent({ pool }: WithPool, uploadID: string): Promise<void> {
  const { uploads } = databaseOn(pool());
  const upload = (await uploads.findAny(uploadID))!;
  await uploads.recordContentHash(uploadID, contentHashOf(sha256(uploadID), contentFacts(upload)));
}

/** Marks an import as finally failed. */
export async function failImport({ pool }: WithPool, uploadID: string): Promise<void> {
  const failure = { code: 'not_found', detail: 'It failed.' };
  await pool().query(`update imports set state = 'failed', failure = $2, bytes_received = 7 where upload_id = $1`, [
    uploadID,
    failure,
  ]);
  await databaseOn(pool()).uploads.recordFailure(uploadID, failure);
}

/** Makes an upload appear created this many days ago. */
export async function letUploadAge({ pool }: WithPool, uploadID: string, days: number): Promise<void> {
  await pool().query('update uploads set created_at = now() - make_interval(days => $2) where id = $1', [
    uploadID,
    days,
  ]);
}

/** Makes the multipart upload appear begun this many days ago. */
export async function letPartsAge({ pool }: WithPool, uploadID: string, days: number): Promise<void> {
  await pool().query('update multiparts set begun_at = now() - make_interval(days => $2) where upload_id = $1', [
    uploadID,
    days,
  ]);
}

/** Makes the lease of an upload's import worker end a second ago. */
export async function endImportLease({ pool }: WithPool, uploadID: string): Promise<void> {
  await pool().query(`update imports set lease_expires_at = now() - interval '1 second' where upload_id = $1`, [
    uploadID,
  ]);
}

/** Deletes all renditions: every upload must be prepared again. */
export async function clearRenditions({ pool }: WithPool): Promise<void> {
  await pool().query('truncate renditions');
}

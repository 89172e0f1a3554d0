// What tests read and change of uploads in the database: keys, ages, and what examines, imports and prepares them.
import { databaseOn } from '../../lambda/data/database.ts';
import { one } from '../../lambda/data/shared/queryable.ts';
import type { WithPool } from './database.ts';

/** The key of an upload in the object store. The API never shows it. */
export async function objectKeyOf({ pool }: WithPool, uploadID: string): Promise<string> {
  const row = await one<{ object_key: string }>(pool(), 'select object_key from uploads where id = $1', [uploadID]);
  if (!row) throw new Error(`there is no upload ${uploadID}`);
  return row.object_key;
}

/** Lets nobody have examined an upload yet, although its bytes are complete. */
export async function forgetProbe({ pool }: WithPool, uploadID: string): Promise<void> {
  await pool().query(`update uploads set probe_state = 'pending' where id = $1`, [uploadID]);
}

/** Lets the examination of an upload have failed. */
export async function failProbe({ pool }: WithPool, uploadID: string, code: string): Promise<void> {
  await databaseOn(pool()).uploads.recordFailure(uploadID, { code, detail: 'It failed.' });
}

/** Lets an import have failed for good. */
export async function failImport({ pool }: WithPool, uploadID: string): Promise<void> {
  const failure = { code: 'not_found', detail: 'It failed.' };
  await pool().query(`update imports set state = 'failed', failure = $2, bytes_received = 7 where upload_id = $1`, [
    uploadID,
    failure,
  ]);
  await databaseOn(pool()).uploads.recordFailure(uploadID, failure);
}

/** Lets an upload have been made so many days ago. */
export async function letUploadAge({ pool }: WithPool, uploadID: string, days: number): Promise<void> {
  await pool().query('update uploads set created_at = now() - make_interval(days => $2) where id = $1', [
    uploadID,
    days,
  ]);
}

/** Lets the parts of an upload have been begun so many days ago. */
export async function letPartsAge({ pool }: WithPool, uploadID: string, days: number): Promise<void> {
  await pool().query('update multiparts set begun_at = now() - make_interval(days => $2) where upload_id = $1', [
    uploadID,
    days,
  ]);
}

/** Lets the lease of the worker that fetches an upload have ended a second ago. */
export async function endImportLease({ pool }: WithPool, uploadID: string): Promise<void> {
  await pool().query(`update imports set lease_expires_at = now() - interval '1 second' where upload_id = $1`, [
    uploadID,
  ]);
}

/** Forgets all renditions: every upload has to be prepared anew. */
export async function clearRenditions({ pool }: WithPool): Promise<void> {
  await pool().query('truncate renditions');
}

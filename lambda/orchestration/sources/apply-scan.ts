// Applies a scan of a watched source: new files become imports, others are renamed or marked.
import type { Pool } from 'pg';
import { inTransaction } from '../../data/database.ts';
import type { Database } from '../../data/database.ts';
import type { ClaimedSource } from '../../data/sources/sources.ts';
import type { Upload, UploadFailure } from '../../data/media/uploads.ts';
import { wordsOf } from '../../domain/shared/limits.ts';
import type { Use } from '../../domain/shared/limits.ts';
import { uploadKey } from '../../domain/media/object-keys.ts';
import { folderOfFile, planScan, scanBounds } from '../../domain/sources/source-scan.ts';
import type { ListedFile } from '../../domain/sources/source-scan.ts';
import { limitReached, limitsOf } from '../shared/limits.ts';

/** The result of a scan. */
export interface Scan {
  readonly files: readonly ListedFile[];
  /** Whether these are all files of the source. */
  readonly isWhole: boolean;
  /** The number of files and folders that are never imported. */
  readonly leftOut: number;
}

export interface ApplyScanOptions {
  readonly pool: Pool;
  readonly source: ClaimedSource;
  /** The factor of the stage for all limits. */
  readonly limitFactor: number;
  readonly newID: (prefix: string) => string;
}

export interface AppliedScan {
  /** Why files were left out; null: none were. */
  readonly reason: UploadFailure | null;
  /** Whether the next scan is due sooner than the user has set. */
  readonly isSoon: boolean;
}

/** The most files that become uploads in one transaction. */
const filesAtOnce = 25;

/** Another worker has claimed the source, or it was deleted. */
export class SourceTaken extends Error {
  override readonly name = 'SourceTaken';
}

/** @throws {SourceTaken} if the source is lost; finished sets of files stay applied */
export async function applyScan(options: ApplyScanOptions, { files, isWhole, leftOut }: Scan): Promise<AppliedScan> {
  const { pool, source } = options;
  const fetched = await inTransaction(pool, async (data) => {
    await assertHeld(data, source);
    const plan = planScan(await data.sourceFiles.known(source.id), files, isWhole);
    for (const { from, to } of plan.renamed) await rename(data, source, from, to);
    await data.sourceFiles.markReturned(source.id, plan.returned);
    await data.sourceFiles.markRemoved(source.id, plan.removed);
    await data.sourceFiles.forget(source.id, plan.forgotten);
    return plan.fetched;
  });
  let reached: Use | null = null;
  let taken = 0;
  while (taken < fetched.length && reached === null) {
    const set = fetched.slice(taken, taken + filesAtOnce);
    const done = await inTransaction(pool, (data) => importSet(data, options, set));
    taken += done.count;
    ({ reached } = done);
  }
  const waiting = fetched.length - taken;
  return {
    reason: reasonOf({ waiting, reached, isWhole, leftOut }),
    isSoon: reached?.limit === 'imports' || files.some(({ isSettling }) => isSettling),
  };
}

async function assertHeld(data: Database, source: ClaimedSource): Promise<void> {
  if (!(await data.sources.lockHeld(source))) throw new SourceTaken();
}

/** Begins imports until the limits have no room for the next one. */
async function importSet(
  data: Database,
  options: ApplyScanOptions,
  set: readonly ListedFile[],
): Promise<{ count: number; reached: Use | null }> {
  const { source, limitFactor } = options;
  await assertHeld(data, source);
  const wanted = await stillWanted(data, source, set);
  for (const [index, { file, failed }] of wanted.entries()) {
    const sizeBytes = file.sizeBytes ?? 0;
    // Running imports will need room as well.
    const [incoming] = await limitsOf(data, source.user_id, limitFactor, ['incomingBytes']);
    const storedBytes = sizeBytes + incoming!.used;
    const room = { uploads: failed ? 0 : 1, imports: 1, storedBytes, incomingBytes: sizeBytes };
    const reached = await limitReached(data, source.user_id, limitFactor, room);
    if (reached) return { count: set.length - wanted.length + index, reached };
    const uploadID = failed?.id ?? (await insertUpload(data, options, file));
    if (failed) await data.imports.retry(uploadID, file.url);
    await data.sourceFiles.record(source.id, file, uploadID);
    await data.outbox.send({ queue: 'imports', body: { uploadID } });
  }
  return { count: set.length, reached: null };
}

/** Files without an import since the scan, with the uploads of failed imports. */
async function stillWanted(
  data: Database,
  { id: sourceID, user_id: userID }: ClaimedSource,
  set: readonly ListedFile[],
) {
  const wanted: { readonly file: ListedFile; readonly failed: Upload | null }[] = [];
  // All uploads are locked before the limits, as in all other starts of imports.
  for (const file of set) {
    const fate = await data.sourceFiles.findImport(sourceID, file);
    if (fate && !fate.is_retried) continue;
    wanted.push({ file, failed: fate?.upload_id ? await data.uploads.lock(userID, fate.upload_id) : null });
  }
  return wanted;
}

/** Makes an upload with its import. @returns its id */
async function insertUpload(data: Database, { source, newID }: ApplyScanOptions, file: ListedFile): Promise<string> {
  const { id: sourceID, user_id: userID } = source;
  const uploadID = newID('upl');
  await data.uploads.insert({
    id: uploadID,
    userID,
    name: file.name,
    folder: folderOfFile(source.folder, file),
    // These are guesses until the source answers.
    mimeType: 'application/octet-stream',
    type: 'video',
    objectKey: uploadKey(userID, uploadID),
    declaredSizeBytes: file.sizeBytes,
    expectedBytes: file.sizeBytes ?? 0,
  });
  await data.imports.insert({ uploadID, userID, url: file.url, named: true, sourceID });
  return uploadID;
}

/** Renames a file and its upload. A name or folder that the user has set stays. */
async function rename(data: Database, source: ClaimedSource, from: string, to: ListedFile): Promise<void> {
  const uploadID = await data.sourceFiles.uploadOf(source.id, from);
  // The upload is locked before the file, as at the end of an import.
  const upload = uploadID === null ? null : await data.uploads.lock(source.user_id, uploadID);
  await data.sourceFiles.rename(source.id, from, to);
  if (!upload) return;
  const parts = from.split('/');
  const folderBefore = folderOfFile(source.folder, { below: parts.slice(0, -1).join('/') });
  const name = upload.name === parts.at(-1) ? to.name : upload.name;
  const folder = upload.folder === folderBefore ? folderOfFile(source.folder, to) : upload.folder;
  await data.uploads.arrange(upload.id, { ...upload, name, folder });
}

function reasonOf(look: { waiting: number; reached: Use | null; isWhole: boolean; leftOut: number }) {
  const { waiting, reached, isWhole, leftOut } = look;
  if (reached) return { code: 'files_waiting', detail: `${waiting} files wait for a next look. ${wordsOf(reached)}` };
  if (!isWhole) {
    const detail = `There are more than ${scanBounds.files} files. Only so many are watched: use smaller folders.`;
    return { code: 'too_many_files', detail };
  }
  if (leftOut === 0) return null;
  const detail = `${leftOut} files or folders are left out: their paths or links are malformed, too long or too deep.`;
  return { code: 'files_left_out', detail };
}

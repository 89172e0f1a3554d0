// What a look at a watched source changes: new files become uploads under way, the others are renamed or marked.
import type { Pool } from 'pg';
import { inTransaction } from '../data/database.ts';
import type { Database } from '../data/database.ts';
import type { ClaimedSource } from '../data/sources.ts';
import type { UploadFailure } from '../data/uploads.ts';
import { wordsOf } from '../domain/limits.ts';
import type { Use } from '../domain/limits.ts';
import { uploadKey } from '../domain/object-keys.ts';
import { folderOfFile, planScan, scanBounds } from '../domain/source-scan.ts';
import type { ListedFile } from '../domain/source-scan.ts';
import { limitReached, limitsOf } from './limits.ts';

/** What a look has seen. */
export interface Scan {
  readonly files: readonly ListedFile[];
  /** Whether these are all files of the source. */
  readonly isWhole: boolean;
  /** How many files and folders are never taken. */
  readonly leftOut: number;
}

export interface ApplyScanOptions {
  readonly pool: Pool;
  readonly source: ClaimedSource;
  /** Of the stage. */
  readonly limitFactor: number;
  readonly newID: (prefix: string) => string;
}

export interface AppliedScan {
  /** What the look has left out, and why; null where nothing is. */
  readonly reason: UploadFailure | null;
  /** Whether something is to be looked at again sooner than its user has asked for. */
  readonly isSoon: boolean;
}

/** So many files become uploads in one transaction. */
const filesAtOnce = 25;

/** Another worker has the source by now, or it was deleted. */
export class SourceTaken extends Error {
  override readonly name = 'SourceTaken';
}

/** @throws {SourceTaken} with what was done before it was taken */
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
  if (!(await data.sources.holds(source))) throw new SourceTaken();
}

/** Begins imports until there is no room for the next one. */
async function importSet(
  data: Database,
  { source, limitFactor, newID }: ApplyScanOptions,
  set: readonly ListedFile[],
): Promise<{ count: number; reached: Use | null }> {
  await assertHeld(data, source);
  const { id: sourceID, user_id: userID } = source;
  let count = 0;
  for (const file of set) {
    const sizeBytes = file.sizeBytes ?? 0;
    // What is on its way will need room as well.
    const [incoming] = await limitsOf(data, userID, limitFactor, ['incomingBytes']);
    const storedBytes = sizeBytes + incoming!.used;
    const wanted = { uploads: 1, imports: 1, storedBytes, incomingBytes: sizeBytes };
    const reached = await limitReached(data, userID, limitFactor, wanted);
    if (reached) return { count, reached };
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
      expectedBytes: sizeBytes,
    });
    await data.imports.insert({ uploadID, userID, url: file.url, named: true, sourceID });
    await data.sourceFiles.note(sourceID, file, uploadID);
    await data.outbox.send({ queue: 'imports', body: { uploadID } });
    count += 1;
  }
  return { count, reached: null };
}

/** An upload that its user has named or moved keeps that. */
async function rename(data: Database, source: ClaimedSource, from: string, to: ListedFile): Promise<void> {
  const uploadID = await data.sourceFiles.rename(source.id, from, to);
  const upload = uploadID === null ? null : await data.uploads.lock(source.user_id, uploadID);
  if (!upload) return;
  const parts = from.split('/');
  const folderBefore = folderOfFile(source.folder, { below: parts.slice(0, -1).join('/') });
  const name = upload.name === parts.at(-1) ? to.name : upload.name;
  const folder = upload.folder === folderBefore ? folderOfFile(source.folder, to) : upload.folder;
  await data.uploads.arrange(upload.id, { name, folder, tags: upload.tags });
}

function reasonOf(look: { waiting: number; reached: Use | null; isWhole: boolean; leftOut: number }) {
  const { waiting, reached, isWhole, leftOut } = look;
  if (reached) return { code: 'files_waiting', detail: `${waiting} files wait for a next look. ${wordsOf(reached)}` };
  if (!isWhole) {
    const detail = `There are more than ${scanBounds.files} files. Only so many are watched: use smaller folders.`;
    return { code: 'too_many_files', detail };
  }
  if (leftOut === 0) return null;
  const detail = `${leftOut} files or folders are left out, as their paths or links are malformed, too long or too deep.`;
  return { code: 'files_left_out', detail };
}

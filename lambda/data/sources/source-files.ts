// SQL of the files of watched sources.
import { importRetries } from '../../domain/sources/source-scan.ts';
import type { KnownFile, ListedFile } from '../../domain/sources/source-scan.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

/** SQL condition: the import of the file `f` has failed and its retry is due and has not begun. */
const isRetried = `coalesce(f.retry_at <= now() and (
  f.upload_id is null or (select state from imports i where i.upload_id = f.upload_id) = 'failed'), false)`;

export function sourceFiles(db: Queryable) {
  return {
    /** The known files of a source: first those that are not removed, then the last removed ones first. */
    known: (sourceID: string) =>
      all<KnownFile>(
        db,
        `select path, version, fingerprint, removed_at is not null as "isRemoved", ${isRetried} as "isRetried"
         from source_files f where source_id = $1 order by removed_at desc nulls first, path`,
        [sourceID],
      ),

    /** The import of this version of a file; null: none. */
    findImport: (sourceID: string, { path, version }: ListedFile) =>
      one<{ upload_id: string | null; is_retried: boolean }>(
        db,
        `select upload_id, ${isRetried} as is_retried from source_files f
         where source_id = $1 and path = $2 and version = $3`,
        [sourceID, path, version],
      ),

    /**
     * Records the upload of a file: of a new file, a changed one, or one that is fetched again as its upload was
     * deleted.
     */
    record: (sourceID: string, { path, version, fingerprint }: ListedFile, uploadID: string) =>
      db.query(
        `insert into source_files (source_id, path, version, fingerprint, upload_id) values ($1, $2, $3, $4, $5)
         on conflict (source_id, path) do update
         set version = excluded.version, fingerprint = excluded.fingerprint, upload_id = excluded.upload_id,
           removed_at = null, retry_at = null,
           failures = case when source_files.version = excluded.version then source_files.failures else 0 end`,
        [sourceID, path, version, fingerprint, uploadID],
      ),

    /** Records how an import has ended. A later scan retries a failed one, with growing delays. */
    recordEnd: (uploadID: string, isFailed: boolean) =>
      db.query(
        `update source_files
         set failures = case when $2 then failures + 1 else 0 end,
           retry_at = case when $2 then
             now() + make_interval(mins => least($3 * 2 ^ least(failures, 20), $4)::integer) end
         where upload_id = $1 and ($2 or failures > 0)`,
        [uploadID, isFailed, importRetries.firstMinutes, importRetries.mostMinutes],
      ),

    /** Makes all failed imports of a source due for a retry by the next scan. */
    retryAll: (sourceID: string) =>
      db.query('update source_files set retry_at = now() where source_id = $1 and retry_at > now()', [sourceID]),

    /** Stops retries for the file of an upload until its bytes change. */
    stopRetrying: (uploadID: string) =>
      db.query('update source_files set retry_at = null where upload_id = $1', [uploadID]),

    /** Marks files that the source no longer lists. Their uploads stay. */
    markRemoved: (sourceID: string, paths: readonly string[]) =>
      db.query('update source_files set removed_at = now() where source_id = $1 and path = any ($2)', [
        sourceID,
        paths,
      ]),

    markReturned: (sourceID: string, paths: readonly string[]) =>
      db.query('update source_files set removed_at = null where source_id = $1 and path = any ($2)', [sourceID, paths]),

    forget: (sourceID: string, paths: readonly string[]) =>
      db.query('delete from source_files where source_id = $1 and path = any ($2)', [sourceID, paths]),

    /** The id of the upload of a file; null if the upload was deleted. */
    uploadOf: async (sourceID: string, path: string) => {
      const sql = 'select upload_id from source_files where source_id = $1 and path = $2';
      return (await one<{ upload_id: string | null }>(db, sql, [sourceID, path]))?.upload_id ?? null;
    },

    /** Records that a file has another path. */
    rename: (sourceID: string, from: string, { path, version }: ListedFile) =>
      db.query('update source_files set path = $3, version = $4 where source_id = $1 and path = $2', [
        sourceID,
        from,
        path,
        version,
      ]),
  };
}

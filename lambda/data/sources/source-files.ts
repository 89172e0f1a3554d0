// SQL of the files that were found in watched sources.
import { importRetries } from '../../domain/sources/source-scan.ts';
import type { KnownFile, ListedFile } from '../../domain/sources/source-scan.ts';
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

/** SQL of whether the import of the file `f` has failed and its time has come again. Nobody else has begun it again. */
const isRetried = `coalesce(f.retry_at <= now() and (
  f.upload_id is null or (select state from imports i where i.upload_id = f.upload_id) = 'failed'), false)`;

export function sourceFiles(db: Queryable) {
  return {
    /** What is known of a source's files: those that are not removed, and of the others the last ones first. */
    known: (sourceID: string) =>
      all<KnownFile>(
        db,
        `select path, version, fingerprint, removed_at is not null as "isRemoved", ${isRetried} as "isRetried"
         from source_files f where source_id = $1 order by removed_at desc nulls first, path`,
        [sourceID],
      ),

    /** What has become of these bytes of a file; null if nothing has. */
    findImport: (sourceID: string, { path, version }: ListedFile) =>
      one<{ upload_id: string | null; is_retried: boolean }>(
        db,
        `select upload_id, ${isRetried} as is_retried from source_files f
         where source_id = $1 and path = $2 and version = $3`,
        [sourceID, path, version],
      ),

    /**
     * Notes the upload that a file has become: a new file, one whose bytes are others now, or one that is fetched again
     * as its upload is gone.
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

    /** Notes how an import has ended: where it has failed, a later look begins it again, ever more rarely. */
    recordEnd: (uploadID: string, isFailed: boolean) =>
      db.query(
        `update source_files
         set failures = case when $2 then failures + 1 else 0 end,
           retry_at = case when $2 then
             now() + make_interval(mins => least($3 * 2 ^ least(failures, 20), $4)::integer) end
         where upload_id = $1 and ($2 or failures > 0)`,
        [uploadID, isFailed, importRetries.firstMinutes, importRetries.mostMinutes],
      ),

    /** Lets the next look begin all imports of a source again that have failed. */
    retryAll: (sourceID: string) =>
      db.query('update source_files set retry_at = now() where source_id = $1 and retry_at > now()', [sourceID]),

    /** Has the file of an upload not fetched again, unless its bytes change. */
    stopRetrying: (uploadID: string) =>
      db.query('update source_files set retry_at = null where upload_id = $1', [uploadID]),

    /** Marks files that are there no more. Their uploads stay. */
    markRemoved: (sourceID: string, paths: readonly string[]) =>
      db.query('update source_files set removed_at = now() where source_id = $1 and path = any ($2)', [
        sourceID,
        paths,
      ]),

    markReturned: (sourceID: string, paths: readonly string[]) =>
      db.query('update source_files set removed_at = null where source_id = $1 and path = any ($2)', [sourceID, paths]),

    forget: (sourceID: string, paths: readonly string[]) =>
      db.query('delete from source_files where source_id = $1 and path = any ($2)', [sourceID, paths]),

    /** The upload of a file; null where its user has deleted that. */
    uploadOf: async (sourceID: string, path: string) => {
      const sql = 'select upload_id from source_files where source_id = $1 and path = $2';
      return (await one<{ upload_id: string | null }>(db, sql, [sourceID, path]))?.upload_id ?? null;
    },

    /** Notes that a file has another path now. */
    rename: (sourceID: string, from: string, { path, version }: ListedFile) =>
      db.query('update source_files set path = $3, version = $4 where source_id = $1 and path = $2', [
        sourceID,
        from,
        path,
        version,
      ]),
  };
}

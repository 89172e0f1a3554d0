// SQL of the files that were found in watched sources.
import type { KnownFile, ListedFile } from '../domain/source-scan.ts';
import { all } from './queryable.ts';
import type { Queryable } from './queryable.ts';

export function sourceFiles(db: Queryable) {
  return {
    /** What is known of a source's files: those that are not removed, and of the others the last ones first. */
    known: (sourceID: string) =>
      all<KnownFile>(
        db,
        `select path, version, fingerprint, removed_at is not null as "isRemoved" from source_files
         where source_id = $1 order by removed_at desc nulls first, path`,
        [sourceID],
      ),

    /** Notes the upload that a file has become: a new file, or one whose bytes are others now. */
    note: (sourceID: string, { path, version, fingerprint }: ListedFile, uploadID: string) =>
      db.query(
        `insert into source_files (source_id, path, version, fingerprint, upload_id) values ($1, $2, $3, $4, $5)
         on conflict (source_id, path) do update
         set version = excluded.version, fingerprint = excluded.fingerprint, upload_id = excluded.upload_id,
           removed_at = null`,
        [sourceID, path, version, fingerprint, uploadID],
      ),

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

    /** Notes that a file has another path now. @returns its upload; null where its user has deleted that */
    rename: async (sourceID: string, from: string, { path, version }: ListedFile) => {
      const rows = await all<{ upload_id: string | null }>(
        db,
        `update source_files set path = $3, version = $4 where source_id = $1 and path = $2 returning upload_id`,
        [sourceID, from, path, version],
      );
      return rows[0]?.upload_id ?? null;
    },
  };
}

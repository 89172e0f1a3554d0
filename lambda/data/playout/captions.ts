// SQL of caption files. Uploads and drawings name them by their hashes.
import { one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export function captions(db: Queryable) {
  return {
    /** Stores a file by its hash. */
    save: (hash: string, file: string) =>
      db.query(
        `insert into captions (hash, file) values ($1, $2)
         on conflict (hash) do update set noted_at = now()`,
        [hash, file],
      ),

    /** The text of a file; null if it was deleted. */
    file: async (hash: string): Promise<string | null> =>
      (await one<{ file: string }>(db, 'select file from captions where hash = $1', [hash]))?.file ?? null,

    /** Deletes files that no upload and no drawing has named for a day. */
    forgetUnused: (most: number) =>
      db.query(
        `delete from captions where hash in (
           select hash from captions c where noted_at < now() - interval '1 day'
             and not exists (select from uploads where captions ->> 'hash' = c.hash)
             and not exists (select from drawings where drawing #>> '{captions,hash}' = c.hash)
           order by noted_at limit $1 for update skip locked)
         and noted_at < now() - interval '1 day'`,
        [most],
      ),
  };
}

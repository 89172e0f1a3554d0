// SQL of files of captions, which uploads and what is drawn name by their hashes.
import { one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export function captions(db: Queryable) {
  return {
    /** Keeps a file by its hash. */
    save: (hash: string, file: string) =>
      db.query(
        `insert into captions (hash, file) values ($1, $2)
         on conflict (hash) do update set noted_at = now()`,
        [hash, file],
      ),

    /** The text of a file; null where it is forgotten. */
    file: async (hash: string): Promise<string | null> =>
      (await one<{ file: string }>(db, 'select file from captions where hash = $1', [hash]))?.file ?? null,

    /** Forgets what no upload has and nothing draws any more, a day after it was noted. */
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

// SQL of caption files. Uploads and drawings name them by their hashes.
import { one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';
import { keptUnused } from './looks.ts';

export function captions(db: Queryable) {
  return {
    /** Stores a file by its hash. */
    save: (hash: string, file: string) =>
      db.query(
        `insert into captions (hash, file) values ($1, $2)
         on conflict (hash) do update set noted_at = now()`,
        [hash, file],
      ),

    /** Notes a file that is replaced: a stream may show it until its next item. */
    note: (hash: string) => db.query('update captions set noted_at = now() where hash = $1', [hash]),

    /** The text of a file; null if it was deleted. */
    file: async (hash: string): Promise<string | null> =>
      (await one<{ file: string }>(db, 'select file from captions where hash = $1', [hash]))?.file ?? null,

    /**
     * Looks at the files that were noted longest ago, and deletes those that no upload has named for hours, and no
     * drawing that is still to be prepared. The others are noted again, so that each is seen seldom.
     * @param most the maximum number of files to look at
     * @returns the number of files that it looked at
     */
    forgetUnused: async (most: number): Promise<number> => {
      const { rowCount } = await db.query(
        `with seen as (
           select hash, exists (select from uploads where captions ->> 'hash' = c.hash)
             or exists (
               select from drawings d where drawing #>> '{captions,hash}' = c.hash
                 and (d.noted_at between now() - ${keptUnused} and now()
                   or exists (select from renditions r where r.drawing = d.name and r.state = 'preparing'))) as is_used
           from (
             select hash from captions where noted_at < now() - ${keptUnused}
             order by noted_at limit $1 for update skip locked) c),
         kept as (update captions set noted_at = now() where hash in (select hash from seen where is_used)),
         unused as (delete from captions where hash in (select hash from seen where not is_used))
         select from seen`,
        [most],
      );
      return rowCount ?? 0;
    },
  };
}

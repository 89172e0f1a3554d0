// SQL of uploads that are sent in parts, until they are complete.
import { one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export interface Multipart {
  /** What the object store calls it; null until a URL for a part is first asked for. */
  readonly multipart_id: string | null;
  readonly has_sha256: boolean;
}

export function multiparts(db: Queryable) {
  return {
    insert: ({ uploadID, userID }: { uploadID: string; userID: string }) =>
      db.query('insert into multiparts (upload_id, user_id) values ($1, $2)', [uploadID, userID]),

    /**
     * What is known of an upload that is sent in parts; null of any other.
     * @param days parts that were begun so long ago may be gone, and count as not begun
     */
    find: (uploadID: string, days: number) =>
      one<Multipart>(
        db,
        `select case when begun_at > now() - make_interval(days => $2) then multipart_id end as multipart_id, has_sha256
         from multiparts where upload_id = $1`,
        [uploadID, days],
      ),

    /** Notes what the parts go to from now on. @returns what they went to before; null where none were begun */
    begin: async (uploadID: string, { multipartID, hasSHA256 }: { multipartID: string; hasSHA256: boolean }) =>
      (await one<{ replaced: string | null }>(
        db,
        `update multiparts set multipart_id = $2, begun_at = now(), has_sha256 = $3
         from (select multipart_id as replaced from multiparts where upload_id = $1) as before
         where upload_id = $1 returning replaced`,
        [uploadID, multipartID, hasSHA256],
      ))!.replaced,

    /** Forgets the parts of an upload that is complete. */
    delete: (uploadID: string) => db.query('delete from multiparts where upload_id = $1', [uploadID]),
  };
}

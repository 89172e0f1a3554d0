// SQL of uploads in parts, until they are complete.
import { one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export interface Multipart {
  /** Its id at the object store; null until the first URL of a part is requested. */
  readonly multipart_id: string | null;
  readonly has_sha256: boolean;
}

export function multiparts(db: Queryable) {
  return {
    insert: ({ uploadID, userID }: { uploadID: string; userID: string }) =>
      db.query('insert into multiparts (upload_id, user_id) values ($1, $2)', [uploadID, userID]),

    /**
     * The parts of an upload; null if it is not sent in parts.
     * @param days after so many days, the object store may have deleted begun parts: they count as not begun
     */
    find: (uploadID: string, days: number) =>
      one<Multipart>(
        db,
        `select case when begun_at > now() - make_interval(days => $2) then multipart_id end as multipart_id, has_sha256
         from multiparts where upload_id = $1`,
        [uploadID, days],
      ),

    /** Records the multipart upload of further parts. @returns the id of the one that it replaces; null: none */
    begin: async (uploadID: string, { multipartID, hasSHA256 }: { multipartID: string; hasSHA256: boolean }) =>
      (await one<{ replaced: string | null }>(
        db,
        `update multiparts set multipart_id = $2, begun_at = now(), has_sha256 = $3
         from (select multipart_id as replaced from multiparts where upload_id = $1) as before
         where upload_id = $1 returning replaced`,
        [uploadID, multipartID, hasSHA256],
      ))!.replaced,

    /** Deletes the record of the parts of a complete upload. */
    delete: (uploadID: string) => db.query('delete from multiparts where upload_id = $1', [uploadID]),
  };
}

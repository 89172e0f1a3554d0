// SQL that bounds the sessions of web pages. better-auth makes, reads and ends them.
import type { Queryable } from '../shared/queryable.ts';

export function sessions(db: Queryable) {
  return {
    /** Deletes all sessions of a user but those used last. @param kept their number */
    deleteOldest: (userID: string, kept: number) =>
      db.query(
        `delete from auth_sessions where id in (
           select id from auth_sessions where user_id = $1 order by updated_at desc, id desc offset $2)`,
        [userID, kept],
      ),
  };
}

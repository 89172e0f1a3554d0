// SQL of claims on the work of media commands. A claim replaces a transaction that would stay open meanwhile.
import { one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

/** The length of a claim: longer than a command may take before its queue delivers it again. */
const lastsFor = '450 seconds';

export function mediaClaims(db: Queryable) {
  return {
    /**
     * Claims work for a command. A command that is delivered again keeps its claim.
     * @returns false if another command has the work
     */
    take: async (work: string, commandID: string) => {
      const row = await one(
        db,
        `insert into media_claims as c (work, command_id, expires_at) values ($1, $2, now() + interval '${lastsFor}')
         on conflict (work) do update set command_id = $2, expires_at = now() + interval '${lastsFor}'
           where c.command_id = $2 or c.expires_at < now() returning true`,
        [work, commandID],
      );
      return row !== null;
    },

    /** Releases work, if this command still has it. */
    release: (work: string, commandID: string) =>
      db.query('delete from media_claims where work = $1 and command_id = $2', [work, commandID]),
  };
}

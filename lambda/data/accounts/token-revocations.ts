// SQL of revocations of access tokens before they expire.
import { all } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export interface TokenRevocation {
  readonly user_id: string;
  /** Null: tokens of every application. */
  readonly client_id: string | null;
  /** Tokens that were issued before this time are refused. */
  readonly revoked_at: Date;
}

export function tokenRevocations(db: Queryable) {
  return {
    /** The revocations that can affect a valid token. @param seconds the longest life of a token */
    within: (seconds: number) =>
      all<TokenRevocation>(
        db,
        `select user_id, client_id, revoked_at from token_revocations
         where revoked_at > now() - make_interval(secs => $1)`,
        [seconds],
      ),

    insert: (userID: string, clientID: string | null) =>
      db.query('insert into token_revocations (user_id, client_id) values ($1, $2)', [userID, clientID]),
  };
}

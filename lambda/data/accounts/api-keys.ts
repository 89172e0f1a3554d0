// SQL of the API keys of users.
// better-auth's plugin is not used: it deletes keys instead of revoking them, and lets users choose the prefix.
import { all, one } from '../shared/queryable.ts';
import type { Queryable } from '../shared/queryable.ts';

export interface ApiKey {
  readonly id: string;
  readonly name: string;
  /** The first characters of the key, to recognize it. */
  readonly key_start: string;
  /** Null: every scope. */
  readonly scopes: readonly string[] | null;
  readonly created_at: Date;
  readonly last_used_at: Date | null;
  readonly expires_at: Date | null;
}

const columns = 'id, name, key_start, scopes, created_at, last_used_at, expires_at';

export function apiKeys(db: Queryable) {
  return {
    /** The user's keys that are not revoked, the newest first. */
    of: (userID: string) =>
      all<ApiKey>(
        db,
        `select ${columns} from api_keys where user_id = $1 and revoked_at is null order by created_at desc, id desc`,
        [userID],
      ),

    /** Makes a key. @returns null if the user has `atMost` keys already */
    insert: (
      key: {
        id: string;
        userID: string;
        name: string;
        keySha256: Buffer;
        keyStart: string;
        scopes: readonly string[] | null;
        expiresAt: Date | null;
      },
      atMost: number,
    ) =>
      one<ApiKey>(
        db,
        `insert into api_keys (id, user_id, name, key_sha256, key_start, scopes, expires_at)
         select $1, $2, $3, $4, $5, $6, $7
         where (select count(*) from api_keys where user_id = $2 and revoked_at is null) < $8
         returning ${columns}`,
        [key.id, key.userID, key.name, key.keySha256, key.keyStart, key.scopes, key.expiresAt, atMost],
      ),

    /** @returns whether there was one to revoke */
    revoke: async (userID: string, keyID: string) => {
      const { rowCount } = await db.query(
        'update api_keys set revoked_at = now() where id = $1 and user_id = $2 and revoked_at is null',
        [keyID, userID],
      );
      return rowCount === 1;
    },
  };
}

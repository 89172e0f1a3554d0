// SQL of users and their API keys.
import type { Framerate, Quality } from '../domain/video-format.ts';
import { one } from './queryable.ts';
import type { Queryable } from './queryable.ts';

export interface User {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly created_at: Date;
  readonly default_stream_duration_seconds: number;
  readonly default_quality: Quality;
  readonly default_framerate: Framerate;
  readonly stream_backend_edit: boolean;
}

export function accounts(db: Queryable) {
  return {
    find: (userID: string) => one<User>(db, 'select * from users where id = $1', [userID]),

    /** The owner of a key that is neither revoked nor expired. The key itself is stored nowhere, only its SHA-256. */
    ownerOfKey: (keySha256: Buffer) =>
      one<{ user_id: string; key_id: string }>(
        db,
        `select user_id, id as key_id from api_keys
         where key_sha256 = $1 and revoked_at is null and (expires_at is null or expires_at > now())`,
        [keySha256],
      ),

    /** Makes the user if nobody has this e-mail address yet; answers the one that is there afterwards. */
    ensureUser: async (user: { id: string; email: string; name: string }) =>
      (await one<User>(
        db,
        `insert into users (id, email, name) values ($1, $2, $3)
         on conflict (email) do update set email = excluded.email returning *`,
        [user.id, user.email, user.name],
      ))!,

    ensureKey: (key: { id: string; userID: string; name: string; keySha256: Buffer; keyStart: string }) =>
      db.query(
        `insert into api_keys (id, user_id, name, key_sha256, key_start) values ($1, $2, $3, $4, $5)
         on conflict (key_sha256) do nothing`,
        [key.id, key.userID, key.name, key.keySha256, key.keyStart],
      ),
  };
}

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
  readonly disabled_at: Date | null;
  /** Set while the account is on hold: its user may only read, and is told the reason. */
  readonly held_at: Date | null;
  readonly held_reason: string | null;
  /** Whether the account is disabled or on hold: then nothing of it is on air, and what is due waits. */
  readonly is_at_rest: boolean;
}

export function users(db: Queryable) {
  return {
    find: (userID: string) => one<User>(db, 'select * from users where id = $1', [userID]),

    /**
     * Whether the account is at rest, which it stays, or not, until the transaction ends. Who locks a stream does so
     * before.
     */
    isAtRest: async (userID: string) =>
      (await one<{ is_at_rest: boolean }>(db, 'select is_at_rest from users where id = $1 for share', [userID]))
        ?.is_at_rest ?? false,

    /** Why the account is on hold; null where it is not. */
    holdOf: async (userID: string) =>
      (
        await one<{ held_reason: string }>(
          db,
          `select coalesce(held_reason, '') as held_reason from users where id = $1 and held_at is not null`,
          [userID],
        )
      )?.held_reason ?? null,

    /**
     * The user of an API key that is neither revoked nor expired, and the scopes of the key (null: every scope).
     * `is_use_noted` is true if its use was noted within the last minute. The key itself is stored nowhere, only its
     * SHA-256.
     */
    ownerOfKey: (keySha256: Buffer) =>
      one<{ user_id: string; key_id: string; scopes: string[] | null; is_use_noted: boolean }>(
        db,
        `select user_id, k.id as key_id, scopes,
           coalesce(last_used_at > now() - interval '1 minute', false) as is_use_noted
         from api_keys k join users u on u.id = user_id
         where key_sha256 = $1 and revoked_at is null and (expires_at is null or expires_at > now())
           and disabled_at is null`,
        [keySha256],
      ),

    noteKeyUse: (keyID: string) => db.query('update api_keys set last_used_at = now() where id = $1', [keyID]),

    /** Makes the user, or gives this address and name to the user that has the id already. */
    ensureUser: async (user: { id: string; email: string; name: string }) =>
      (await one<User>(
        db,
        `insert into users (id, email, name) values ($1, $2, $3)
         on conflict (id) do update set email = excluded.email, name = excluded.name returning *`,
        [user.id, user.email, user.name],
      ))!,

    /**
     * Gives a user this password, whatever it was before. The address counts as verified, without any mail.
     * @param credential its `passwordHash` as better-auth makes it
     */
    ensurePassword: (credential: { id: string; userID: string; passwordHash: string }) =>
      db.query(
        `with verified as (update users set email_verified = true where id = $2)
         insert into auth_credentials (id, user_id, account_id, provider_id, password)
         values ($1, $2, $2, 'credential', $3)
         on conflict (id) do update set password = excluded.password`,
        [credential.id, credential.userID, credential.passwordHash],
      ),

    /** Makes an API key, unless it is there already. */
    ensureKey: (key: { id: string; userID: string; name: string; keySha256: Buffer; keyStart: string }) =>
      db.query(
        `insert into api_keys (id, user_id, name, key_sha256, key_start) values ($1, $2, $3, $4, $5)
         on conflict (key_sha256) do nothing`,
        [key.id, key.userID, key.name, key.keySha256, key.keyStart],
      ),
  };
}

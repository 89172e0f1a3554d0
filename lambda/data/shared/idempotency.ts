// SQL of answers that are stored by their Idempotency-Key, for repeated requests.
// If an answer exceeds 32 KiB, or the answers of a user 32 MiB, only the id is kept: a repeated request reads again.
import { one } from './queryable.ts';
import type { Queryable } from './queryable.ts';

export interface KeptAnswer {
  readonly request_sha256: Buffer;
  readonly status: number;
  readonly headers: Record<string, string>;
  /** JSON. If `is_reread`, it is only the id of the resource that the answer showed. */
  readonly body: string;
  readonly is_reread: boolean;
}

/** How long an answer is stored and returned for repeated requests. */
export const idempotencyRetentionHours = 24;

export function idempotency(db: Queryable) {
  return {
    /**
     * Locks the key until the transaction ends.
     * @returns false if another request with the same key is running
     */
    tryLock: async (userID: string, operationID: string, key: string) =>
      (await one<{ claimed: boolean }>(
        db,
        `select pg_try_advisory_xact_lock(hashtextextended($1 || ' ' || $2 || ' ' || $3, 0)) as claimed`,
        [userID, operationID, key],
      ))!.claimed,

    find: (userID: string, operationID: string, key: string) =>
      one<KeptAnswer>(
        db,
        `select request_sha256, status, headers, body, is_reread from idempotent_answers
         where user_id = $1 and operation_id = $2 and key = $3 and created_at > now() - make_interval(hours => $4)`,
        [userID, operationID, key, idempotencyRetentionHours],
      ),

    keep: (userID: string, operationID: string, key: string, answer: KeptAnswer) =>
      db.query(
        `insert into idempotent_answers (user_id, operation_id, key, request_sha256, status, headers, body, is_reread)
         values ($1, $2, $3, $4, $5, $6, $7, $8)
         on conflict (user_id, operation_id, key) do update set request_sha256 = excluded.request_sha256,
           status = excluded.status, headers = excluded.headers, body = excluded.body,
           is_reread = excluded.is_reread, created_at = now()`,
        [userID, operationID, key, answer.request_sha256, answer.status, answer.headers, answer.body, answer.is_reread],
      ),

    /** Locks the stored answers of the user: other requests that store one wait. */
    lockUse: (userID: string) => db.query(`select lock_uses($1, '{keptAnswers}')`, [userID]),

    /** The bytes of all stored answers of a user. */
    keptBytes: async (userID: string) =>
      (
        await one<{ used: number }>(
          db,
          `select used from limit_use where user_id = $1 and limit_name = 'keptAnswerBytes'`,
          [userID],
        )
      )?.used ?? 0,

    /** Deletes expired answers, at most `most`. @returns how many */
    deleteExpired: async (most: number): Promise<number> =>
      (
        await db.query(
          `delete from idempotent_answers where ctid = any (array(
             select ctid from idempotent_answers where created_at < now() - make_interval(hours => $1) limit $2))`,
          [idempotencyRetentionHours, most],
        )
      ).rowCount!,
  };
}

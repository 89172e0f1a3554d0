// Answers that are kept under an Idempotency-Key, as the table has them, and changes of their age by tests.
import { all } from '../../lambda/data/shared/queryable.ts';
import type { WithPool } from './database.ts';

/** The kept answers of a user, with all of their columns. */
export function keptAnswersOf({ pool }: WithPool, userID: string): Promise<{ key: string; body: string }[]> {
  return all(pool(), 'select * from idempotent_answers where user_id = $1', [userID]);
}

/** Stores an empty answer of a user, given this many hours ago, unless one exists under this key. */
export async function keepOldAnswer(
  { pool }: WithPool,
  { userID, key, hoursAgo }: { userID: string; key: string; hoursAgo: number },
): Promise<void> {
  await pool().query(
    `insert into idempotent_answers
       (user_id, operation_id, key, request_sha256, status, headers, body, created_at)
     values ($1, 'x', $2, '', 200, '{}', '', now() - make_interval(hours => $3))
     on conflict do nothing`,
    [userID, key, hoursAgo],
  );
}

/** Makes the answers under a key this many seconds older. */
export async function letAnswerAge({ pool }: WithPool, key: string, seconds: number): Promise<void> {
  await pool().query('update idempotent_answers set created_at = now() - make_interval(secs => $2) where key = $1', [
    key,
    seconds,
  ]);
}

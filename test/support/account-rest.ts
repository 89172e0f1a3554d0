// Pauses and resumes accounts in tests, as operators' commands do and as manual changes do.
import type { WithPool } from './database.ts';

/** Disables a user, or puts the account on hold. */
export async function putToRest({ pool }: WithPool, userID: string, how: 'disabled' | 'held'): Promise<void> {
  await pool().query(`update users set ${how}_at = now() where id = $1`, [userID]);
}

export async function wake({ pool }: WithPool, userID: string): Promise<void> {
  await pool().query('update users set disabled_at = null, held_at = null, held_reason = null where id = $1', [userID]);
}

// Changes of users and their credentials in the database, as an operator or the passing of time would make them.
import type { Scope } from '../../lambda/operations/scopes.ts';
import type { WithPool } from './database.ts';

/** Gives a user a confirmed address. */
export async function confirmAddress({ pool }: WithPool, userID: string, email: string): Promise<void> {
  await pool().query('update users set email = $2, email_verified = true where id = $1', [userID, email]);
}

export async function disableUser({ pool }: WithPool, userID: string): Promise<void> {
  await pool().query('update users set disabled_at = now() where id = $1', [userID]);
}

/** Deletes a user with the credit account, which must be unused: billing records are never deleted. */
export async function deleteUser({ pool }: WithPool, userID: string): Promise<void> {
  await pool().query('delete from billing_accounts where user_id = $1', [userID]);
  await pool().query('delete from users where id = $1', [userID]);
}

export async function revokeKeysOf({ pool }: WithPool, userID: string): Promise<void> {
  await pool().query('update api_keys set revoked_at = now() where user_id = $1', [userID]);
}

/** Limits all keys of a user to these scopes. */
export async function limitKeysOf({ pool }: WithPool, userID: string, scopes: readonly Scope[]): Promise<void> {
  await pool().query('update api_keys set scopes = $2 where user_id = $1', [userID, scopes]);
}

/** Makes an API key expire now. */
export async function expireKey({ pool }: WithPool, keyID: string): Promise<void> {
  await pool().query('update api_keys set expires_at = now() where id = $1', [keyID]);
}

/** Withdraws the keys that sign access tokens: from then on no token can be verified. */
export async function withdrawSigningKeys({ pool }: WithPool): Promise<void> {
  await pool().query('delete from signing_keys');
}

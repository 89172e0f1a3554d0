// Disconnects an application from a user, within the bounds of the changes that a user makes at the sign-in.
import type { Pool } from 'pg';
import { inChange } from '../data/database.ts';
import { boundsOfAccount } from '../data/shared/change-bounds.ts';

/**
 * Ends everything that an application has from a user.
 * @returns whether there was anything
 * @throws {ChangeRefused}
 */
export function disconnectApplication(pool: Pool, userID: string, clientID: string): Promise<boolean> {
  return inChange(pool, boundsOfAccount(userID), (data) => data.applications.disconnect(userID, clientID));
}

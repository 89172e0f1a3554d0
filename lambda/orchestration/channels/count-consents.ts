// Counts the consents of owners of channels, which take units of the quota that all users share.
import type { Database } from '../../data/database.ts';
import { unfundedUsers } from '../../data/shared/funded.ts';
import { subjectOfUser } from '../../data/shared/request-windows.ts';
import { bounds } from '../../domain/shared/bounds.ts';

const daySeconds = 24 * 3600;

/** Counts a consent of a user before it is completed. @returns whether it may be */
export async function countConsent({ requestWindows, users }: Database, userID: string): Promise<boolean> {
  const { ofUser, ofUnfunded } = bounds.consentsPerDay;
  const own = await requestWindows.count(subjectOfUser(userID), 'consent', 1, daySeconds);
  if (own.requests > ofUser) return false;
  if (await users.isFunded(userID)) return true;
  return (await requestWindows.count(unfundedUsers, 'consent', 1, daySeconds)).requests <= ofUnfunded;
}

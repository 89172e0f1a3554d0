// Counts the files for which users make download URLs, and decides whether one more may be made. Decision D292.
import type { Database } from '../../data/database.ts';
import { unfundedUsers } from '../../data/shared/funded.ts';
import { subjectOfUser } from '../../data/shared/request-windows.ts';
import { downloadsAllowed, downloadsPerDay, gigabyte, leastOfURL } from '../../domain/media/download-limits.ts';

/** Windows count whole numbers: MB. */
const megabyte = gigabyte / 1000;

/** A download that would exceed what a day allows. */
export interface DownloadsUsedUp {
  /** Whether all users who are not funded have used up their part, and not the user's own day. */
  readonly isOfAll: boolean;
  readonly isFunded: boolean;
  /** Bytes that the day allows. */
  readonly allowedBytes: number;
  /** Seconds until the day ends. */
  readonly resetSeconds: number;
}

/**
 * Counts a download URL, in the caller's transaction. A file above the whole day's limit counts as the whole day.
 * @param factor of the stage, for all limits
 * @returns null once it is counted
 */
export async function countDownload(
  data: Database,
  { userID, fileBytes, factor }: { readonly userID: string; readonly fileBytes: number; readonly factor: number },
): Promise<DownloadsUsedUp | null> {
  const isFunded = await data.limits.isFunded(userID);
  const credits = isFunded ? await data.creditAccounts.creditsLeft(userID) : 0;
  const take = async (subject: string, allowedGB: number, isOfAll: boolean): Promise<DownloadsUsedUp | null> => {
    const allowedBytes = allowedGB * factor * gigabyte;
    const most = Math.floor(allowedBytes / megabyte);
    const count = Math.min(most, Math.max(leastOfURL * gigabyte, fileBytes) / megabyte);
    const full = await data.requestWindows.takeOfDay(subject, 'downloaded_mb', { count, most });
    return full && { isOfAll, isFunded, allowedBytes, resetSeconds: full.reset_seconds };
  };
  const ofUser = await take(subjectOfUser(userID), downloadsAllowed({ isFunded, credits }), false);
  if (ofUser || isFunded) return ofUser;
  return take(unfundedUsers, downloadsPerDay.unfundedTogether, true);
}

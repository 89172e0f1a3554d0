// Turns what agents report into cost.
// A replica that is live has an open live interval. What an interval that has ended costs is taken from the user's
// credits.
import type { Database } from '../data/database.ts';
import type { Stream } from '../data/streams.ts';
import { outlookOf, priceOf } from '../domain/credits.ts';

/**
 * Begins and ends live intervals after the replicas of a stream have changed, in the same transaction, which has
 * locked the stream. How many statements that takes does not depend on how long anything was live. Where no replica
 * began or ceased to be live, it writes nothing.
 * @param at when the change was observed, by the database's clock
 */
export async function meterStream(
  data: Database,
  stream: Pick<Stream, 'id' | 'user_id' | 'run_quality' | 'run_framerate'>,
  at: Date,
  price: typeof priceOf = priceOf,
): Promise<void> {
  const { id, user_id: userID, run_quality: quality, run_framerate: framerate } = stream;
  if (quality === null || framerate === null) return;
  const priceAs = (role: 'primary' | 'backup') => price({ role, quality, framerate }, at);
  const changed = await data.liveIntervals.updateFromReplicas(
    id,
    { primary: priceAs('primary'), backup: priceAs('backup') },
    at,
  );
  if (changed.length === 0) return;
  await data.creditAccounts.lock(userID);
  for (const { id: intervalID, ended_at: endedAt, credits } of changed) {
    if (endedAt === null) continue;
    await data.ledger.take({
      userID,
      cause: 'usage',
      reference: String(intervalID),
      credits,
      account: 'usage',
      at: endedAt,
    });
  }
  await reassess(data, userID, at);
}

/** Computes again when a user's credits will be used up. The caller has locked the account. */
export async function reassess(data: Database, userID: string, at: Date): Promise<void> {
  await data.creditAccounts.saveOutlook(userID, outlookOf(await data.creditAccounts.consumption(userID, at), at));
}

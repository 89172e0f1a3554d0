// Turns evidence into cost: what of a stream is live is an open interval, and what has ended is taken from the user's credits.
import type { Database } from '../data/database.ts';
import type { Stream } from '../data/streams.ts';
import { outlookOf, priceOf } from '../domain/credits.ts';

/**
 * Follows a change of a stream's replicas, in the transaction that made it and has locked the stream: a number of statements that does
 * not depend on how long anything was live. Without a change of what is live it writes nothing.
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
  const changed = await data.metering.follow(id, { primary: priceAs('primary'), backup: priceAs('backup') }, at);
  if (changed.length === 0) return;
  await data.billing.lockAccount(userID);
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

/** Works out anew when a user's credits will be gone. The caller has locked the account. */
export async function reassess(data: Database, userID: string, at: Date): Promise<void> {
  await data.billing.saveOutlook(userID, outlookOf(await data.billing.consumption(userID, at), at));
}

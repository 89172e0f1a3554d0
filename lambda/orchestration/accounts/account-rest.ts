// Applies the rest of an account: streams stop when it begins, and suspended due times return when it ends.
// A trigger makes the account due, and the next process that looks stops its streams. A start holds the user's row
// until it commits, so the rest finds the stream.
import type { Pool } from 'pg';
import { databaseOn, inTransaction } from '../../data/database.ts';
import type { Database } from '../../data/database.ts';
import { stopStream } from '../streams/stop-stream.ts';

/** The state reason of a stream that was stopped, or not started, because its account is at rest. */
const reason = {
  code: 'account_at_rest',
  detail: 'The account was disabled or put on hold. Ask whoever runs the platform.',
};

/**
 * Stops the running streams of an account at rest. For an account that is awake, makes suspended due times due.
 * @returns the ids of the stopped streams
 */
export async function applyRest(pool: Pool, userID: string): Promise<string[]> {
  const data = databaseOn(pool);
  const user = await data.users.find(userID);
  if (!user) return [];
  if (!user.is_at_rest) {
    await data.dueTimes.wake(userID);
    return [];
  }
  const stopped: string[] = [];
  for (const streamID of await data.creditAccounts.runningStreams(userID)) {
    if (await inTransaction(pool, (tx) => stopAtRest(tx, userID, streamID))) stopped.push(streamID);
  }
  return stopped;
}

async function stopAtRest(data: Database, userID: string, streamID: string): Promise<boolean> {
  const stream = await data.streams.lockAny(streamID);
  // The account may have been woken meanwhile.
  if (!stream || !(await data.users.lockRest(userID))) return false;
  return (await stopStream(data, stream, 'account_at_rest', { reason })) !== stream;
}

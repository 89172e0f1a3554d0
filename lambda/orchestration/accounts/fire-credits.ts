// Fires the due actions of accounts: their rest and, as credits run out, warnings, a grace period and the end.
import type { Pool } from 'pg';
import type { DueAccount } from '../../data/billing/credit-accounts.ts';
import { databaseOn, inTransaction } from '../../data/database.ts';
import type { Database } from '../../data/database.ts';
import type { NotificationKind, NotifiedStream } from '../../domain/notices/notification-words.ts';
import { actionDue, outlookOf } from '../../domain/billing/credits.ts';
import type { Warning } from '../../domain/billing/credits.ts';
import { applyRest } from './account-rest.ts';
import { grantFreeCredits } from '../billing/free-credits.ts';
import { reassess } from '../billing/meter.ts';
import { stopStream } from '../streams/stop-stream.ts';

const notificationOf: Readonly<Record<Warning, NotificationKind>> = {
  day: 'credits_end_within_day',
  hour: 'credits_end_within_hour',
  exhausted: 'credits_exhausted',
};

/**
 * Fires everything that is due for accounts now: warnings, stops, rests and free credits. Any number of processes may
 * call this at once. If a process dies before it finishes an account, the account becomes due again.
 * @returns the number of due accounts
 * @throws the first failure, after all other accounts had their turn
 */
export async function fireCredits(pool: Pool, now: Date): Promise<number> {
  const failures: unknown[] = [];
  for (let taken = 0; ; taken++) {
    const account = await databaseOn(pool).creditAccounts.takeDue(now);
    if (account) {
      await fireAccount(pool, account, now).catch((error: unknown) => failures.push(error));
      continue;
    }
    if (failures.length > 0) throw failures[0];
    return taken;
  }
}

async function fireAccount(pool: Pool, account: DueAccount, now: Date): Promise<void> {
  const userID = account.user_id;
  await applyRest(pool, userID);
  const due = await inTransaction(pool, async (data) => {
    await data.creditAccounts.lock(userID);
    if (account.free_credits_due_at !== null) await grantFreeCredits(data, userID, now);
    return warn(data, userID, now);
  });
  if (due === null) return;
  const stopped: NotifiedStream[] = [];
  for (const streamID of await databaseOn(pool).creditAccounts.runningStreams(userID)) {
    const stream = await inTransaction(pool, (data) => stopWithoutCredits(data, { userID, streamID, ...due }, now));
    if (stream) stopped.push(stream);
  }
  await inTransaction(pool, async (data) => {
    await data.creditAccounts.lock(userID);
    await reassess(data, userID, now);
    if (stopped.length === 0) return;
    const reference = `${account.credits_exhausted_at?.toISOString()}`;
    await data.notifications.add({
      userID,
      kind: 'streams_stopped_without_credits',
      reference,
      detail: { streamIDs: stopped.map(({ id }) => id), streams: stopped },
      dueAt: now,
    });
  });
}

/**
 * Assesses the locked account again, and warns if a warning is due.
 * @returns until when its streams are paid for, if they are to be stopped; else null
 */
async function warn(data: Database, userID: string, now: Date): Promise<{ readonly paidUntil: Date } | null> {
  const consumption = await data.creditAccounts.consumption(userID, now);
  const outlook = outlookOf(consumption, now);
  const action = actionDue(outlook, now);
  if (action && 'stop' in action) return { paidUntil: outlook.stopsAt! };
  if (action) {
    const detail = { creditsLeft: consumption.creditsLeft, creditsExhaustedAt: outlook.exhaustedAt };
    // A reference is mailed once: a user who starts and stops streams all day gets each warning once a day, and again
    // after the next payment.
    const today = now.toISOString().slice(0, 'YYYY-MM-DD'.length);
    const lastPaidAt = await data.invoices.lastPaidAt(userID);
    const reference = `${today} after ${lastPaidAt?.toISOString() ?? 'nothing'}`;
    await data.notifications.add({ userID, kind: notificationOf[action.warn], reference, detail, dueAt: now });
    await data.creditAccounts.saveOutlook(userID, { ...outlook, warned: action.warn });
  }
  await reassess(data, userID, now);
  return null;
}

/**
 * Stops one stream, unless a top-up has arrived meanwhile. Time after the end of the grace period costs nothing.
 * @returns the stopped stream; null: it was not stopped
 */
async function stopWithoutCredits(
  data: Database,
  { userID, streamID, paidUntil }: { readonly userID: string; readonly streamID: string; readonly paidUntil: Date },
  now: Date,
): Promise<NotifiedStream | null> {
  const stream = await data.streams.lockAny(streamID);
  if (!stream) return null;
  await data.creditAccounts.lock(userID);
  const { exhaustedAt } = outlookOf(await data.creditAccounts.consumption(userID, now), now);
  if (exhaustedAt === null || exhaustedAt > now) return null;
  const stopped = await stopStream(data, stream, 'credits_used_up', { reason, paidUntil });
  return stopped === stream ? null : { id: stream.id, name: stream.name };
}

const reason = {
  code: 'no_credits',
  detail: 'The credits are used up. Buy more with create_top_up, then start the stream again.',
};

// Tells users that their storage begins to cost, and takes credits for each day of it, once.
import type { Pool } from 'pg';
import { databaseOn, inTransaction } from '../../data/database.ts';
import type { Database } from '../../data/database.ts';
import { storagePriceOf } from '../../domain/billing/credits.ts';
import { chargeOf, firstChargedDay, lastDayBefore } from '../../domain/billing/storage-price.ts';
import { reassess } from './meter.ts';

/** How many users one sweep tells or charges at most; the next one continues. */
const usersAtOnce = 1000;

const gibibyte = 1024 ** 3;

/** What a stage says of storage. */
export interface StorageSettings {
  /** How much a user may have stored without paying for it. */
  readonly freeStoredGiB: number;
}

/**
 * Any number of processes may do this at once, and whenever they like: a day is charged when it is over.
 * @throws {AggregateError} the failures, after all other users had their turn
 */
export async function chargeStorage(pool: Pool, { freeStoredGiB }: StorageSettings, now: Date): Promise<void> {
  const { storageCharges } = databaseOn(pool);
  const freeBytes = freeStoredGiB * gibibyte;
  const failures: unknown[] = [];
  const attempt = (task: Promise<unknown>) => task.catch((error: unknown) => void failures.push(error));
  for (const { user_id: userID, bytes } of await storageCharges.exceeding(freeBytes, usersAtOnce))
    await attempt(inTransaction(pool, (data) => tell(data, userID, { bytes, freeStoredGiB }, now)));
  const lastDay = lastDayBefore(now);
  for (const userID of await storageCharges.due(lastDay, usersAtOnce))
    await attempt(chargeDays(pool, userID, lastDay, freeBytes, now));
  if (failures.length > 0)
    throw new AggregateError(failures, `storage could not be charged: ${failures.map(String).join('; ')}`);
}

async function tell(
  data: Database,
  userID: string,
  { bytes, freeStoredGiB }: { readonly bytes: number; readonly freeStoredGiB: number },
  now: Date,
): Promise<void> {
  const chargedFrom = firstChargedDay(now);
  if (!(await data.storageCharges.open(userID, now, chargedFrom))) return;
  const storedGiB = Math.round((bytes / gibibyte) * 10) / 10;
  const creditsPerGiBMonth = storagePriceOf(new Date(chargedFrom));
  await data.notifications.add({
    userID,
    kind: 'storage_will_cost',
    reference: chargedFrom,
    detail: { storedGiB, freeGiB: freeStoredGiB, creditsPerGiBMonth, chargedFrom },
    dueAt: now,
  });
}

async function chargeDays(pool: Pool, userID: string, lastDay: string, freeBytes: number, now: Date): Promise<void> {
  const chargeNext = (data: Database) => chargeNextDay(data, userID, lastDay, freeBytes, now);
  while (await inTransaction(pool, chargeNext));
}

/** @returns false where every day up to the last is charged */
async function chargeNextDay(
  data: Database,
  userID: string,
  lastDay: string,
  freeBytes: number,
  now: Date,
): Promise<boolean> {
  const day = await data.storageCharges.lockNextDay(userID, lastDay);
  if (day === null) return false;
  const creditsPerGiBMonth = storagePriceOf(new Date(day));
  const { byte_hours: byteHours, cost } = await data.storageCharges.day(userID, day, freeBytes, creditsPerGiBMonth);
  let credits = 0;
  if (cost > 0) {
    await data.creditAccounts.lock(userID);
    const { creditsLeft } = await data.creditAccounts.consumption(userID, now);
    credits = chargeOf(cost, creditsLeft);
    const reference = `${userID}/${day}`;
    await data.ledger.take({ userID, cause: 'storage', reference, credits, account: 'usage', at: now });
    await reassess(data, userID, now);
  }
  await data.storageCharges.recordDay(userID, day, { byteHours, creditsPerGiBMonth, credits });
  if (byteHours === 0) await data.storageCharges.forgetIdle(userID, day);
  return true;
}

// Notifies users before their storage is charged, and charges each day once.
import type { Pool } from 'pg';
import { databaseOn, inTransaction } from '../../data/database.ts';
import type { Database } from '../../data/database.ts';
import { storagePriceOf } from '../../domain/billing/credits.ts';
import { chargeOf, firstChargedDay, lastDayBefore } from '../../domain/billing/storage-price.ts';
import { reassess } from './meter.ts';

/** The most users that one sweep notifies or charges; the next one continues. */
const usersAtOnce = 1000;

const gibibyte = 1024 ** 3;

/** The settings of a stage for storage. */
export interface StorageSettings {
  /** The free storage of a user. */
  readonly freeStoredGiB: number;
}

/**
 * Notifies users beyond the free storage, and charges all days that are over. Any number of processes may call this at
 * once, at any time.
 * @throws {AggregateError} the failures, after all other users had their turn
 */
export async function chargeStorage(pool: Pool, { freeStoredGiB }: StorageSettings, now: Date): Promise<void> {
  const { storageCharges } = databaseOn(pool);
  const freeBytes = freeStoredGiB * gibibyte;
  const failures: unknown[] = [];
  const attempt = (task: Promise<unknown>) => task.catch((error: unknown) => void failures.push(error));
  for (const { user_id: userID, bytes } of await storageCharges.exceeding(freeBytes, usersAtOnce))
    await attempt(inTransaction(pool, (data) => notifyOfCharges(data, userID, { bytes, freeStoredGiB }, now)));
  const lastDay = lastDayBefore(now);
  for (const userID of await storageCharges.due(lastDay, usersAtOnce))
    await attempt(chargeDays(pool, userID, lastDay, freeBytes, now));
  if (failures.length > 0)
    throw new AggregateError(failures, `storage could not be charged: ${failures.map(String).join('; ')}`);
}

async function notifyOfCharges(
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

/** Charges the next day. @returns false if every day up to the last is charged */
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

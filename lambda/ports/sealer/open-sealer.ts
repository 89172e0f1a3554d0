// Opens a sealer with a database's data keys for one purpose, and creates the first data key if there is none.
import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { databaseOn } from '../../data/database.ts';
import type { KeyWrapper } from './key-wrapper.ts';
import { createSealer } from './sealer.ts';
import type { DataKey, Sealer } from './sealer.ts';

/** The database has to be migrated. @throws {Error} if a data key was wrapped by another key */
export async function openSealer(pool: Pool, wrapper: KeyWrapper): Promise<Sealer> {
  const stored = databaseOn(pool).dataKeys(wrapper.purpose);
  let rows = await stored.list();
  if (rows.length === 0) {
    // If several processes do this at once, only one inserts its key, and all read that key.
    await stored.insertFirst(await wrapper.wrap(randomBytes(32)));
    rows = await stored.list();
  }
  const unwrapping = rows.map(async ({ id, wrapped_key }) => ({ id, key: await wrapper.unwrap(wrapped_key) }));
  return createSealer((await Promise.all(unwrapping)) as [DataKey]);
}

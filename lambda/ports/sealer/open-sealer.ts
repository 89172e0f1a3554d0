// A sealer over the data keys of a database: the first is made when there is none.
import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { databaseOn } from '../../data/database.ts';
import type { KeyWrapper } from './key-wrapper.ts';
import { createSealer } from './sealer.ts';
import type { DataKey, Sealer } from './sealer.ts';

/** Needs the migrated schema. @throws when a data key was wrapped with another key than the wrapper's */
export async function openSealer(pool: Pool, wrapper: KeyWrapper): Promise<Sealer> {
  const stored = databaseOn(pool).dataKeys;
  let rows = await stored.list();
  if (rows.length === 0) {
    // Of several that begin at once, one wins: all read what it wrote.
    await stored.insertFirst(await wrapper.wrap(randomBytes(32)));
    rows = await stored.list();
  }
  const keys = await Promise.all(
    rows.map(async ({ id, wrapped_key }) => ({ id, key: await wrapper.unwrap(wrapped_key) })),
  );
  return createSealer(keys as [DataKey]);
}

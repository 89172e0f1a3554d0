// SQL of the wrapped keys that seal secrets.
import type { KeyPurpose } from '../../domain/shared/sealed-places.ts';
import { all } from './queryable.ts';
import type { Queryable } from './queryable.ts';

/** One table per purpose, as each purpose has a wrapping key of its own. */
const tableOf: Readonly<Record<KeyPurpose, string>> = {
  'data key': 'data_keys',
  sources: 'source_keys',
  live: 'live_keys',
};

export function dataKeys(db: Queryable) {
  return (purpose: KeyPurpose) => ({
    /** All keys for this purpose, the oldest first. */
    list: () =>
      all<{ id: number; wrapped_key: Buffer }>(db, `select id, wrapped_key from ${tableOf[purpose]} order by id`),

    /** Makes the first key, unless it exists. */
    insertFirst: (wrappedKey: Buffer) =>
      db.query(`insert into ${tableOf[purpose]} (id, wrapped_key) values (1, $1) on conflict do nothing`, [wrappedKey]),

    /** Stores a key as another wrapping key has wrapped it. */
    rewrap: (id: number, wrappedKey: Buffer) =>
      db.query(`update ${tableOf[purpose]} set wrapped_key = $2 where id = $1`, [id, wrappedKey]),
  });
}

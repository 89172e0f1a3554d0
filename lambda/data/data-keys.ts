// SQL of the wrapped keys that secrets are sealed with.
import { all } from './queryable.ts';
import type { Queryable } from './queryable.ts';

export function dataKeys(db: Queryable) {
  return {
    /** All keys, the oldest first. */
    list: () => all<{ id: number; wrapped_key: Buffer }>(db, 'select id, wrapped_key from data_keys order by id'),

    /** Makes the first key, unless it is there already. */
    insertFirst: (wrappedKey: Buffer) =>
      db.query('insert into data_keys (id, wrapped_key) values (1, $1) on conflict do nothing', [wrappedKey]),
  };
}

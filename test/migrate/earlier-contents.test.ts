// What was uploaded before there were inspections is looked through once for each content.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testDatabase } from '../support/database.ts';

const database = testDatabase();
const file = join(import.meta.dirname, '../../lambda/data/migrations/0050_earlier_contents.sql');

it('contents that were uploaded before are to be looked through, each user their newest first', async () => {
  const pool = database.pool();
  await pool.query(
    `insert into users (id, email, name) values ('usr_1', '1@example.org', 'a'), ('usr_2', '2@example.org', 'b')`,
  );
  await pool.query(
    `insert into uploads
       (id, user_id, name, mime_type, type, object_key, expected_bytes, probe_state, content_hash)
     select id, user_id, 'a', 'video/mp4', 'video', id, 0, state, content
     from (values
       ('upl_1', 'usr_1', 'completed', 'old'), ('upl_2', 'usr_1', 'completed', 'new'),
       ('upl_3', 'usr_2', 'completed', 'new'), ('upl_4', 'usr_2', 'completed', 'other'),
       ('upl_5', 'usr_2', 'completed', 'begun'), ('upl_6', 'usr_2', 'failed', null)
     ) as given (id, user_id, state, content)`,
  );
  // It came between this migration and the one that made the table.
  await pool.query(`insert into inspections (content_hash, user_id, turn, share) values ('begun', 'usr_2', 0, 0.5)`);
  await pool.query(await readFile(file, 'utf8'));
  const { rows } = await pool.query(
    'select content_hash, user_id, share from inspections order by user_id, turn, share',
  );
  expect(rows).toEqual([
    { content_hash: 'new', user_id: 'usr_1', share: 0 },
    { content_hash: 'old', user_id: 'usr_1', share: 0 },
    { content_hash: 'begun', user_id: 'usr_2', share: 0.5 },
    { content_hash: 'other', user_id: 'usr_2', share: 0 },
  ]);
});

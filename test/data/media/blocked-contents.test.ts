// Operators find the uploads with given bytes among many without reading all of them.
import { expect, it } from 'vitest';
import { blockedContents } from '../../../lambda/data/media/blocked-contents.ts';
import { databaseOn } from '../../../lambda/data/database.ts';
import { testDatabase } from '../../support/database.ts';

const database = testDatabase();
const hash = 'f'.repeat(64);

it('the uploads of a content are found by an index, under every name that it has', async () => {
  const pool = database.pool();
  await databaseOn(pool).users.ensureUser({ id: 'usr_many', email: 'many@example.com', name: 'many' });
  await pool.query(
    `insert into uploads (id, user_id, name, mime_type, type, object_key, content_hash)
     select 'many_' || n, 'usr_many', 'x', 'video/mp4', 'video', 'many/' || n,
       case n when 7 then $1 when 8 then $1 || '-video-60-sound' when 9 then null else md5(n::text) || '-image' end
     from generate_series(1, 20000) n`,
    [hash],
  );
  await pool.query('analyze uploads');
  const found = await databaseOn(pool).blockedContents.uploadsOf(hash);
  expect(found.map(({ id }) => id)).toEqual(['many_7', 'many_8']);

  const plans: string[] = [];
  const explaining = {
    query: async (text: string, values?: unknown[]) => {
      plans.push(JSON.stringify((await pool.query(`explain (format json) ${text}`, values)).rows));
      return { rows: [], rowCount: 0 };
    },
  };
  await blockedContents(explaining).uploadsOf(hash);
  expect(plans.join()).toContain('uploads_by_bytes');
});

// A library of 100,000 uploads: no search and no order makes a statement read all of it.
import { beforeAll, describe, expect, it } from 'vitest';
import { databaseOn } from '../../../lambda/data/database.ts';
import type { UploadFilter } from '../../../lambda/data/media/upload-lists.ts';
import { testDatabase } from '../../support/database.ts';
import { uploadSortKeys } from '../../../lambda/domain/media/upload-words.ts';

const database = testDatabase();
const uploads = 100_000;

beforeAll(async () => {
  const pool = database.pool();
  await pool.query(
    `insert into users (id, email, name) values ('usr_1', '1@example.org', 'a'), ('usr_2', '2@example.org', 'b')`,
  );
  await pool.query(
    `insert into uploads (
       id, user_id, name, folder, tags, mime_type, type, object_key, expected_bytes, size_bytes, duration_seconds,
       finding_kinds)
     select 'upl_' || n, case when n % 11 = 0 then 'usr_2' else 'usr_1' end,
       'clip ' || n || ' take ' || n % 7 || case when n % 5000 = 1 then ' finale' else '' end,
       'Year ' || 2000 + n % 20 || '/Day ' || n % 400, array['all', 'tag ' || n % 1000],
       'video/mp4', 'video', 'key ' || n, 0, (n * 7919) % 1000003, (n * 31) % 7200,
       case when n % 500 = 3 then array['black'] else '{}' end
     from generate_series(1, $1::int) as n`,
    [Math.round(uploads * 1.1)],
  );
  await pool.query('vacuum analyze uploads');
});

const nothing: UploadFilter = {
  q: null,
  tags: null,
  type: null,
  probeState: null,
  inFolder: null,
  belowFolder: null,
  hasFindings: null,
};
const searches: [string, Partial<UploadFilter>][] = [
  ['everything', {}],
  ['a rare word', { q: 'finale' }],
  ['a word that all have', { q: 'clip' }],
  ['how a word begins', { q: 'ta 4242' }],
  ['a word that none has', { q: 'nowhere' }],
  ['a tag', { tags: ['tag 77'] }],
  ['two tags', { tags: ['all', 'tag 77'] }],
  ['a folder', { inFolder: 'Year 2007/Day 7' }],
  ['a folder and those in it', { belowFolder: 'Year 2007' }],
  ['a word in a folder', { q: 'finale', belowFolder: 'Year 2001' }],
  ['what has findings', { hasFindings: true }],
  ['what has findings, in a folder', { hasFindings: true, inFolder: 'Year 2003/Day 3' }],
  ['what has none', { hasFindings: false }],
  ['what has none, in a folder', { hasFindings: false, inFolder: 'Year 2007/Day 7' }],
  ['a state that none is in', { probeState: 'failed' }],
];
const orders = uploadSortKeys.flatMap((by) => [false, true].map((descending) => ({ by, descending })));

it('folders are found by an index, each by itself', async () => {
  const sent: { text: string; values: unknown[] }[] = [];
  const noting = {
    query: (text: string, values: unknown[]) => {
      sent.push({ text, values });
      return database.pool().query(text, values);
    },
  };
  const { foldersIn } = databaseOn(noting as never).uploadLists;
  const years = Array.from({ length: 20 }, (_, year) => `Year ${2000 + year}`);
  expect((await foldersIn('usr_1', '', null, 100)).map(({ path }) => path)).toEqual(years);
  expect((await foldersIn('usr_1', '', 'Year 2004', 3)).map(({ path }) => path)).toEqual(years.slice(5, 8));
  expect(await foldersIn('usr_1', 'Year 2001', null, 1000)).toHaveLength(20);
  expect(await foldersIn('usr_1', 'Year 200', null, 1000)).toEqual([]);
  for (const { text, values } of sent) {
    const { rows } = await database.pool().query(`explain (format json) ${text}`, values);
    const plan = JSON.stringify(rows);
    expect(plan).not.toContain('"Seq Scan"');
    expect(plan).toContain('uploads_by_path');
  }
});

it('what has none is found as well that was uploaded before anything was looked for', async () => {
  const pool = database.pool();
  await pool.query(
    `update uploads set terms = upload_terms(user_id, name, folder, tags, type, probe_state) where id = 'upl_403'`,
  );
  const found = async (hasFindings: boolean | null) => {
    const filter = { ...nothing, inFolder: 'Year 2003/Day 3', hasFindings };
    const order = { by: 'createdAt', descending: false } as const;
    return (await databaseOn(pool).uploadLists.search('usr_1', filter, order, null, 1000)).map(({ id }) => id);
  };
  const [all, some, others] = [await found(null), await found(true), await found(false)];
  expect(some).toContain('upl_2003');
  expect(others).toContain('upl_403');
  expect(all.filter((id) => !some.includes(id))).toEqual(others);
});

describe.each(searches)('%s', (_, filter) => {
  it.each(orders)('is found by an index, sorted by $by (descending: $descending)', async (order) => {
    const sent: { text: string; values: unknown[] }[] = [];
    const noting = {
      query: (text: string, values: unknown[]) => {
        sent.push({ text, values });
        return database.pool().query(text, values);
      },
    };
    const list = databaseOn(noting as never).uploadLists;
    const first = await list.search('usr_1', { ...nothing, ...filter }, order, null, 21);
    const last = first.at(-1);
    if (last) await list.search('usr_1', { ...nothing, ...filter }, order, { seq: last.seq, key: last.sort_key }, 21);
    for (const { text, values } of sent) {
      const { rows } = await database.pool().query(`explain (format json) ${text}`, values);
      const plan = JSON.stringify(rows);
      expect(plan).not.toContain('"Seq Scan"');
    }
  });
});

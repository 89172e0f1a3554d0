// Collections in a library with more uploads than a collection may have: members are found by indexes, and counted.
import { beforeAll, describe, expect, it } from 'vitest';
import { databaseOn } from '../../../lambda/data/database.ts';
import { collectionBounds } from '../../../lambda/domain/media/collections.ts';
import type { CollectionOrder, CollectionSource } from '../../../lambda/domain/media/collections.ts';
import { testDatabase } from '../../support/database.ts';
import { rowsRead } from '../../support/rows-read.ts';

const database = testDatabase();
const uploads = 12_000;
const { members: most, rowsOfPage } = collectionBounds;

beforeAll(async () => {
  const pool = database.pool();
  await pool.query(
    `insert into users (id, email, name) values ('usr_1', '1@example.org', 'a'), ('usr_2', '2@example.org', 'b')`,
  );
  await pool.query(
    `insert into uploads (
       id, user_id, name, folder, tags, mime_type, type, object_key, expected_bytes, duration_seconds, probe_state,
       video_codec)
     select 'upl_' || n, case when n % 11 = 0 then 'usr_2' else 'usr_1' end, 'clip ' || n,
       'Year ' || 2000 + n % 20, array['all', 'tag ' || n % 1000], 'video/mp4', 'video', 'key ' || n, 0, 10,
       'completed', 'h264'
     from generate_series(1, $1::int) as n`,
    [Math.round(uploads * 1.1)],
  );
  await pool.query('vacuum analyze uploads');
}, 240_000);

/** Notes each statement that it sends. */
function noting() {
  const sent: { text: string; values: unknown[] }[] = [];
  const query = (text: string, values: unknown[]) => {
    sent.push({ text, values });
    return database.pool().query(text, values);
  };
  return { sent, data: databaseOn({ query } as never).collections };
}

let made = 0;
async function insert(source: CollectionSource, order: CollectionOrder = 'sequential'): Promise<string> {
  const settings = { name: 'c', source, order, group_by: null };
  return (await noting().data.insert(`col_${++made}`, 'usr_1', 'video', settings)).id;
}

describe.each<[string, CollectionSource]>([
  ['a folder', { folder: 'Year 2007' }],
  ['a folder and those in it', { folder: 'Year 2007', recursive: true }],
  ['any of two tags', { anyTags: ['tag 7', 'tag 77'] }],
  ['all without a tag', { noTags: ['tag 77'] }],
  ['a tag that all have', { allTags: ['all'] }],
  ['words', { text: 'clip 77' }],
  ['listed uploads', { uploadIDs: ['upl_3', 'upl_1'] }],
  ['a playlist', { playlistID: 'ply_none' }],
  ['a watched source', { sourceID: 'src_none' }],
])('%s', (_, source) => {
  it('is read by indexes of uploads', async () => {
    const ids = [await insert(source), await insert(source, 'newest')];
    const { data, sent } = noting();
    await data.members('usr_1', ids);
    await data.figures('usr_1', ids, rowsOfPage);
    await data.page('usr_1', ids[0]!, null, 21);
    await data.places('usr_1', ids, { rows: 100_000, places: 50_000, uploads: 20_000 });
    expect(sent).toHaveLength(4);
    for (const { text, values } of sent) {
      const { rows } = await database.pool().query(`explain ${text}`, values);
      expect(rows.map((row) => row['QUERY PLAN']).join('\n')).not.toContain('Seq Scan on uploads');
    }
  });
});

it('more uploads than a collection may have are told, and the newest stay in the order newest', async () => {
  const [newest, oldest, union] = [
    await insert({ allTags: ['all'] }, 'newest'),
    await insert({ allTags: ['all'] }, 'oldest'),
    await insert({ collectionIDs: ['col_few', 'col_many'] }),
  ];
  const { data } = noting();
  for (const [id, source] of [
    ['col_few', { uploadIDs: [`upl_${uploads}`] }],
    ['col_many', { folder: '', recursive: true }],
  ] as const)
    await data.insert(id, 'usr_1', 'video', { name: 'c', source, order: 'shuffle', group_by: null });
  const read = await data.members('usr_1', [newest, oldest, union]);
  const endsOf = (id: string) => [read.get(id)!.members[0]!.id, read.get(id)!.members.at(-1)!.id];
  const { rows } = await database
    .pool()
    .query<{ id: string }>(`select id from uploads where user_id = 'usr_1' order by seq`);
  const ids = rows.map(({ id }) => id);
  expect(endsOf(newest)).toEqual([ids.at(-1), ids.at(-most)]);
  expect(endsOf(oldest)).toEqual([ids[0], ids[most - 1]]);
  for (const { isComplete, members } of read.values()) {
    expect([isComplete, members.length]).toEqual([false, most]);
    expect(new Set(members.map(({ id }) => id)).size).toBe(most);
  }
  const figures = await data.figures('usr_1', [newest, union], rowsOfPage);
  const told = { count: most, duration_seconds: most * 10, seconds_without_repeat: most * 10, complete: false };
  expect([...figures.values()]).toEqual([told, told]);
});

it('several collections are read at once, each with its own members', async () => {
  const ids = [await insert({ uploadIDs: ['upl_3', 'upl_1'] }), await insert({ text: 'nowhere' }), 'col_none'];
  const { data } = noting();
  const read = await data.members('usr_1', ids);
  expect([...read].map(([id, { members }]) => [id, members.map((member) => member.id)])).toEqual([
    [ids[0], ['upl_3', 'upl_1']],
    [ids[1], []],
    ['col_none', []],
  ]);
  expect(read.get(ids[0]!)!.members[0]).toEqual({
    id: 'upl_3',
    showSeconds: null,
    availability: null,
    name: 'clip 3',
    titles: {},
    tags: ['all', 'tag 3'],
    folder: 'Year 2003',
    type: 'video',
    durationSeconds: 10,
    createdAt: expect.any(Date),
    isPlayable: true,
    group: null,
  });
});

describe('the figures of a list', () => {
  /** Reads figures, and counts the rows of uploads that the statement reads. */
  async function counted(ids: readonly string[], mostRows: number) {
    const { data, sent } = noting();
    const figures = await data.figures('usr_1', ids, mostRows);
    expect(sent).toHaveLength(1);
    const rows = await rowsRead(database.pool(), 'uploads', sent[0]!.text, sent[0]!.values);
    return { figures, rows };
  }
  const inYear = (year: number) =>
    Array.from({ length: Math.round(uploads * 1.1) }, (_, index) => index + 1).filter(
      (n) => n % 20 === year - 2000 && n % 11 !== 0,
    ).length;

  it('read equal sources once', async () => {
    const [single, same] = [await insert({ folder: 'Year 2003' }), await insert({ folder: 'Year 2003' }, 'series')];
    const unions = [];
    for (let index = 0; index < 10; index++) unions.push(await insert({ collectionIDs: [single, same] }));
    const { figures, rows } = await counted([...unions, single, same], rowsOfPage);
    const count = inYear(2003);
    expect(rows).toBe(count);
    expect([...figures.values()]).toEqual(Array.from({ length: 12 }, () => expect.objectContaining({ count })));
  });

  it('are those of the first collections, as far as uploads may be read, however few of them differ', async () => {
    const sources = [
      { folder: 'Year 2004' },
      ...Array.from({ length: 9 }, (_, index) => ({ folder: 'Year 2004', noTags: [`none ${index}`] })),
    ];
    const parts = [];
    for (const source of sources) parts.push(await insert(source));
    const unions = [];
    for (let index = 0; index < 8; index++) unions.push(await insert({ collectionIDs: parts }));
    const count = inYear(2004);
    const within = await counted(unions, 3 * 10 * count);
    expect([...within.figures.keys()].sort()).toEqual(unions.slice(0, 3).sort());
    expect(within.figures.get(unions[0]!)).toMatchObject({ count, duration_seconds: count * 10, complete: true });
    expect(within.rows).toBe(10 * count);
    const first = await counted(unions, 10);
    expect([[...first.figures.keys()], first.figures.get(unions[0]!)!.count]).toEqual([[unions[0]], count]);
    const others = await counted([parts[0]!, parts[1]!, parts[2]!, ...unions], 1.5 * count);
    expect([[...others.figures.keys()], others.rows]).toEqual([[parts[0]], 2 * count]);
  });
});

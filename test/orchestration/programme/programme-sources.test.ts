// Sources of a programme in a large library: an upload is one object, equal sources are read once, and all are bounded.
import { beforeAll, describe, expect, it } from 'vitest';
import { databaseOn } from '../../../lambda/data/database.ts';
import type { Database } from '../../../lambda/data/database.ts';
import type { CollectionGroup, CollectionOrder, CollectionSource } from '../../../lambda/domain/media/collections.ts';
import type { PlannableCollection, PlannableItem } from '../../../lambda/domain/programme/plannable.ts';
import { programmeBounds } from '../../../lambda/domain/programme/programme-faults.ts';
import { sourceKey } from '../../../lambda/domain/programme/programme-rules.ts';
import { simulateProgramme } from '../../../lambda/orchestration/programme/simulate-programme.ts';
import { loadSources } from '../../../lambda/orchestration/programme/programme-sources.ts';
import { block, hours, midnight, rules, step } from '../../domain/programme/programmes.ts';
import { testDatabase } from '../../support/database.ts';
import { rowsRead } from '../../support/rows-read.ts';
import { seeded } from '../../support/seeded.ts';

const database = testDatabase();
let data: Database;
const uploads = 24_000;

beforeAll(async () => {
  const pool = database.pool();
  data = databaseOn(pool);
  await pool.query(`insert into users (id, email, name) values ('usr_1', '1@example.org', 'a')`);
  await pool.query(
    `insert into uploads (
       id, user_id, name, folder, tags, given_titles, mime_type, type, object_key, expected_bytes, duration_seconds,
       probe_state, video_codec)
     select 'upl_' || n, 'usr_1', case when n % 3 = 0 then 'Clip ' else 'clip ' end || n * 7919 % 24001,
       'Part ' || n % 12, array['all', 'other', 'Show ' || n % 15, 'set ' || n % 5],
       jsonb_build_object('artist', 'Artist ' || n % 40), 'video/mp4', 'video', 'key ' || n, 0, 10 + n % 90,
       case when n % 17 = 0 then 'pending' else 'completed' end, case when n % 17 = 0 then null else 'h264' end
     from generate_series(1, $1::int) as n`,
    [uploads],
  );
  await pool.query(`insert into streams (id, user_id, name) values ('str_1', 'usr_1', 'a')`);
  await pool.query('vacuum analyze uploads');
}, 240_000);

let made = 0;
async function insert(
  source: CollectionSource,
  order: CollectionOrder = 'sequential',
  groupBy: CollectionGroup | null = null,
): Promise<string> {
  const settings = { name: 'c', source, order, group_by: groupBy };
  return (await data.collections.insert(`col_${++made}`, 'usr_1', 'video', settings)).id;
}

const rulesOf = (collectionIDs: readonly string[], uploadIDs: readonly string[] = []) => {
  const from = [
    ...collectionIDs.map((collectionID) => ({ collectionID })),
    ...uploadIDs.map((uploadID) => ({ uploadID })),
  ];
  return rules({ blocks: [block('all', { steps: from.map((each, index) => step(`s${index}`, { from: each })) })] });
};
const load = (...ids: Parameters<typeof rulesOf>) => loadSources(data, 'usr_1', 'video', rulesOf(...ids));
const keyOf = (collectionID: string) => sourceKey({ collectionID });
const seqOf = ({ uploadID }: PlannableItem) => Number(uploadID.slice(4));
const idsOf = ({ members }: PlannableCollection) => members.map(({ uploadID }) => uploadID);

it('an upload of several sources is one object, with a group for each source', async () => {
  const byFolder = await insert({ folder: 'Part 3' }, 'series', 'folder');
  const byTag = await insert({ folder: 'Part 3' }, 'series', 'tag:show ');
  const found = await load([byFolder, byTag], ['upl_3']);
  const [one, other] = [found.get(keyOf(byFolder))!, found.get(keyOf(byTag))!];
  const inOther = new Map(other.members.map((item) => [item.uploadID, item]));
  expect(one.members.length).toBeGreaterThan(1800);
  expect(one.members.filter((item) => inOther.get(item.uploadID) !== item)).toEqual([]);
  const [single] = found.get(sourceKey({ uploadID: 'upl_3' }))!.members;
  expect(single).toBe(inOther.get('upl_3'));
  expect([one.groupOf(single!), other.groupOf(single!)]).toEqual(['Part 3', 'show 3']);
});

it('random unions have the members of each collection by itself, in its order', async () => {
  const random = seeded(4711);
  const pick = <Value>(values: readonly Value[]) => values[Math.floor(random() * values.length)]!;
  const some = () => `upl_${1 + Math.floor(random() * uploads)}`;
  const singles = await Promise.all(
    Array.from({ length: 24 }, () =>
      insert(
        pick<() => CollectionSource>([
          () => ({ folder: `Part ${Math.floor(random() * 12)}` }),
          () => ({ anyTags: [`Show ${Math.floor(random() * 15)}`, `Show ${Math.floor(random() * 15)}`] }),
          () => ({ allTags: [`set ${Math.floor(random() * 5)}`], noTags: [`Show ${Math.floor(random() * 15)}`] }),
          () => ({ uploadIDs: [...new Set(Array.from({ length: 40 }, some))] }),
          () => ({ text: `clip ${1 + Math.floor(random() * 9)}` }),
        ])(),
      ),
    ),
  );
  const orders: readonly (readonly [CollectionOrder, CollectionGroup | null])[] = [
    ['sequential', null],
    ['shuffle', null],
    ['newest', null],
    ['oldest', null],
    ['series', 'folder'],
    ['series', 'artist'],
    ['series', 'tag:show '],
  ];
  for (let round = 0; round < 10; round++) {
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) {
      const parts = new Set(Array.from({ length: 2 + Math.floor(random() * 3) }, () => pick(singles)));
      ids.push(await insert({ collectionIDs: [...parts] }, ...pick(orders)));
    }
    ids.push(pick(singles));
    const whole = await data.collections.members('usr_1', ids);
    const places = await data.collections.places('usr_1', ids, { rows: 1e9, places: 1e9, uploads: 1e9 });
    for (const id of ids) {
      const playable = whole.get(id)!.members.filter(({ isPlayable }) => isPlayable);
      expect(playable.length).toBeGreaterThan(0);
      const members = playable.map(({ id: uploadID, group }) => ({ id: uploadID, group }));
      expect(places.get(id)).toEqual({ isCut: false, members });
    }
  }
}, 120_000);

/** The rows of uploads that one statement reads for the members of collections. */
async function rowsReadFor(collectionIDs: readonly string[]): Promise<number> {
  const sent: (readonly [text: string, values: unknown[]])[] = [];
  const query = (text: string, values: unknown[]) => {
    sent.push([text, values]);
    return database.pool().query(text, values);
  };
  await databaseOn({ query } as never).collections.places('usr_1', collectionIDs, programmeBounds.members);
  expect(sent).toHaveLength(1);
  return rowsRead(database.pool(), 'uploads', ...sent[0]!);
}

describe('all sources together', () => {
  const { places, uploads: different } = programmeBounds.members;

  it('a collection beyond the different uploads has its oldest ones, and all that others have', async () => {
    const other = { anyTags: ['set 2', 'set 3', 'set 4'] };
    const ids = [await insert({ anyTags: ['set 0', 'set 1'] }), await insert(other, 'newest')];
    ids.push(await insert(other, 'oldest'));
    const alone = await Promise.all(ids.map(async (id) => (await load([id])).get(keyOf(id))!));
    const found = await load(ids);
    const [first, newest, oldest] = ids.map((id) => found.get(keyOf(id))!);
    expect([first, newest, oldest].map((each) => each!.isCut ?? false)).toEqual([false, false, true]);
    expect([idsOf(first!), idsOf(newest!)]).toEqual([idsOf(alone[0]!), idsOf(alone[1]!)]);
    expect(new Set([first, newest, oldest].flatMap((each) => idsOf(each!))).size).toBe(different);
    const known = new Set(idsOf(newest!));
    const added = idsOf(alone[2]!).filter((id) => !known.has(id));
    const kept = new Set(added.slice(0, different - first!.members.length - newest!.members.length));
    expect(idsOf(oldest!)).toEqual(idsOf(alone[2]!).filter((id) => known.has(id) || kept.has(id)));
  });

  it('collections beyond the places are cut, and a plan holds no more than the bound', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, () => insert({ allTags: ['all'] }, 'shuffle')));
    const found = await load(ids);
    const each = ids.map((id) => found.get(keyOf(id))!);
    const total = each.reduce((sum, { members }) => sum + members.length, 0);
    const whole = each[0]!.members.length;
    expect(total).toBe(places);
    expect(each.map(({ members }) => members.length)).toEqual([
      ...Array.from({ length: Math.floor(places / whole) }, () => whole),
      places % whole,
      ...Array.from({ length: 7 - Math.floor(places / whole) }, () => 0),
    ]);
    expect(each.map(({ isCut }) => isCut ?? false)).toEqual(each.map(({ members }) => members.length < whole));
    const kept = new Set(idsOf(each[5]!));
    const oldest = each[0]!.members.toSorted((one, other) => seqOf(one) - seqOf(other)).slice(0, kept.size);
    expect(new Set(oldest.map(({ uploadID }) => uploadID))).toEqual(kept);
  });

  it('a simulation names the collections that are cut, and calls none of them empty', async () => {
    const ids = await Promise.all(Array.from({ length: 7 }, () => insert({ allTags: ['all'] }, 'shuffle')));
    const [from, until] = [new Date(midnight), new Date(midnight + hours(1))];
    const programme = { user_id: 'usr_1', kind: 'video', stream_id: 'str_1', seed: 1, draft: rulesOf(ids) } as never;
    const { figures, issueOfSource } = await simulateProgramme(data, { programme, from, until, skip: 0, count: 1 });
    const ofSources = figures.issues(issueOfSource).filter(({ code }) => code.startsWith('collection'));
    expect(ofSources.map(({ code, path }) => [code, path])).toEqual([
      ['collection_cut', 'blocks/0/steps/5'],
      ['collection_cut', 'blocks/0/steps/6'],
    ]);
  });

  it('equal sources are read once, and unions of many others no further than the bound', async () => {
    const same = await Promise.all(Array.from({ length: 5 }, (_, part) => insert({ anyTags: ['all', `set ${part}`] })));
    const unions = await Promise.all(Array.from({ length: 12 }, () => insert({ collectionIDs: same })));
    expect(await rowsReadFor(unions)).toBeLessThanOrEqual((await rowsReadFor(unions.slice(0, 1))) + places);
    const others = await Promise.all(Array.from({ length: 24 }, (_, n) => insert({ anyTags: ['all', `Show ${n}`] })));
    const first = await insert({ collectionIDs: others.slice(0, 10) });
    const ids = [first, await insert({ collectionIDs: others.slice(10, 20) }), ...others.slice(20)];
    const found = await load(ids);
    const cut = ids.map((id) => found.get(keyOf(id))!.isCut ?? false);
    expect(cut).toEqual([false, true, true, true, true, true]);
    expect(await rowsReadFor([first, ...others])).toBeLessThanOrEqual((await rowsReadFor([first])) + places);
  });
});

// Lists read what their page shows, however large the rows of a user are.
import { describe, expect, it, vi } from 'vitest';
import { storeLongPlaylist } from '../support/long-playlists.ts';
import { rowsRead } from '../support/rows-read.ts';
import { testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';
import { bytesOf } from '../support/stored-bytes.ts';

const service = testService();

/** The ids of all rows of a list, read page by page, and the number of rows on each. */
async function allPages(user: TestUser, path: string) {
  const ids: string[] = [];
  const lengths: number[] = [];
  for (let cursor = '', hasMore = true; hasMore;) {
    const { body } = await user.call('GET', `${path}&cursor=${cursor}`.replace(/&cursor=$/, ''));
    ids.push(...body.data.map(({ id }: { id: string }) => id));
    lengths.push(body.data.length);
    ({ hasMore, nextCursor: cursor } = body.page);
  }
  return { ids, lengths };
}

/** Rules of 50 blocks with 20 steps each, as long as rules may be. */
const largestRules = {
  timeZone: 'UTC',
  blocks: Array.from({ length: 50 }, (_, block) => ({
    id: `b${block}`,
    name: String.fromCodePoint(0x4e00 + block).repeat(100),
    hours: { rule: `FREQ=DAILY;BYDAY=${'MO,'.repeat(100)}MO`, at: '20:00', minutes: 15, firstDay: '2026-01-01' },
    priority: 50,
    starts: 'hard',
    latestMinutes: null,
    ends: 'fill',
    isOrdered: false,
    steps: Array.from({ length: 20 }, (_each, step) => ({
      id: `step_${block}_${step}`.padEnd(40, '_'),
      from: { collectionID: 'col_0mwqwb9k12gueecd1cuqhagt2' },
      count: 1,
      weight: 1,
      cursor: 'own',
    })),
  })),
  inserts: [],
  separation: [],
  filler: null,
  insertSecondsPerHour: null,
};

/** Stores published programmes, each of a stream of its own. @returns their ids, the newest first */
async function storeProgrammes(user: TestUser, count: number, rules: object): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    const { body } = await user.call('POST', '/streams', {});
    const made = await user.call('POST', '/programmes', { streamID: body.id, timeZone: 'UTC' });
    ids.unshift(made.body.id);
  }
  const live = { ...rules, version: 1, publishedAt: '2030-01-31T18:00:00.000Z' };
  await service.pool().query('update programmes set draft = $2, live = $3 where user_id = $1', [user.id, rules, live]);
  return ids;
}

describe('a list of programmes', () => {
  it('reads 1 MB of rules and those of one programme more, and leaves none out', { timeout: 60_000 }, async () => {
    const user = await service.user();
    const made = await storeProgrammes(user, 30, largestRules);
    const bytes = await bytesOf(service, 'programmes', () => user.call('GET', '/programmes?limit=100'));
    const ofOne = Buffer.byteLength(JSON.stringify(largestRules));
    expect(bytes.answered).toBeLessThan(1_000_000 + 3 * ofOne);
    expect((await allPages(user, '/programmes?limit=100')).ids).toEqual(made);
  });

  it('of usual rules has all that were asked for', async () => {
    const user = await service.user();
    const made = await storeProgrammes(user, 20, { ...largestRules, blocks: largestRules.blocks.slice(0, 4) });
    expect(await allPages(user, '/programmes?limit=20')).toEqual({ ids: made, lengths: [20] });
  });
});

describe('a list of versions', () => {
  it('reads none of their rules', async () => {
    const user = await service.user();
    const [id] = await storeProgrammes(user, 1, largestRules);
    const list = () => user.call('GET', `/programmes/${id}/versions`);
    expect(await list()).toMatchObject({ status: 200, body: { data: [] } });
    await service.pool().query(
      `insert into programme_versions (programme_id, version, rules)
         select $1, n, $2 from generate_series(1, 30) as n`,
      [id, largestRules],
    );
    const bytes = await bytesOf(service, 'programme_versions', list);
    expect(bytes.largeValues).toBe(0);
    expect(bytes.answered).toBeLessThan(10_000);
    const { data } = (await list()).body;
    expect(data.map(({ version }: { version: number }) => version)).toEqual(
      Array.from({ length: 30 }, (_, n) => 30 - n),
    );
    expect(data[0]).toMatchObject({ blockCount: 50, insertCount: 0 });
    expect((await (await service.user()).call('GET', `/programmes/${id}/versions`)).status).toBe(404);
  });
});

describe('a list of playlists', () => {
  it('reads the playlists of its page and one more', { timeout: 60_000 }, async () => {
    const user = await service.user();
    const { body: stream } = await user.call('POST', '/streams', {});
    const common = { userID: user.id, streamID: stream.id, isLive: true };
    for (let count = 1; count <= 40; count++) await storeLongPlaylist(service, { ...common, id: `ply_read_${count}` });
    const bytes = await bytesOf(service, 'playlists', () => user.call('GET', '/playlists?limit=100'));
    const page = (await user.call('GET', '/playlists?limit=100')).body.data;
    expect(page).toHaveLength(5);
    const { rows } = await service
      .pool()
      .query<{ bytes: number }>(`select octet_length(draft::text) as bytes from playlists where id = 'ply_read_1'`);
    expect(bytes.answered).toBeLessThan(2 * (page.length + 1) * rows[0]!.bytes * 1.1);
    expect((await allPages(user, '/playlists?limit=100')).ids).toEqual(
      Array.from({ length: 40 }, (_, index) => `ply_read_${40 - index}`),
    );
  });
});

describe('a list of collections', () => {
  it('looks up the listed uploads of its page and of one collection more', { timeout: 60_000 }, async () => {
    const user = await service.user();
    const made: string[] = [];
    for (let count = 0; count < 40; count++) {
      const { body } = await user.call('POST', '/collections', { name: 'c', kind: 'video', source: { uploadIDs: [] } });
      made.unshift(body.id);
    }
    await service.pool().query(
      `insert into uploads (id, user_id, name, mime_type, type, object_key)
       select 'upl_many_' || n, $1, 'x', 'video/mp4', 'video', 'many ' || n from generate_series(1, 1000) as n`,
      [user.id],
    );
    await service.pool().query(
      `update collections set source = jsonb_build_object(
         'uploadIDs', (select jsonb_agg('upl_many_' || n) from generate_series(1, 1000) as n))
       where user_id = $1`,
      [user.id],
    );
    const query = vi.spyOn(service.pool(), 'query');
    const first = (await user.call('GET', '/collections?limit=100')).body;
    const sent = query.mock.calls as unknown as [text: string, values: unknown[]][];
    query.mockRestore();
    const [text, values] = sent.find(
      ([each]) => each.includes('from collections') && each.includes('order by seq desc'),
    )!;
    expect(await rowsRead(service.pool(), 'uploads', text, values)).toBeLessThanOrEqual(11_000);
    expect([first.data.length, first.page.hasMore]).toEqual([10, true]);
    expect((await allPages(user, '/collections?limit=100')).ids).toEqual(made);
  });
});

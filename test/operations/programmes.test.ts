// Programmes: rules that are kept as they were sent, refused with a pointer, and simulated without writing anything.
import { describe, expect, it } from 'vitest';
import { actorsOn } from '../support/actors.ts';
import { pretendProbed, testService } from '../support/service.ts';

const service = testService();
const { call } = actorsOn(service);

async function clip(name: string, durationSeconds: number, more: object = {}): Promise<string> {
  const { body } = await call('POST', '/uploads', { name, mimeType: 'video/mp4', ...more });
  await pretendProbed(service, body.id, { durationSeconds });
  return body.id;
}

/** Twelve songs of three artists, two jingles and a filler, in collections, and a stream for them. */
async function channel() {
  for (let index = 0; index < 12; index++) {
    const id = await clip(`Song ${index}`, 200 + index, { folder: 'Songs' });
    await call('PATCH', `/uploads/${id}`, { artist: `Artist ${index % 3}` });
  }
  for (let index = 0; index < 2; index++) await clip(`Jingle ${index}`, 10, { folder: 'Jingles' });
  for (let index = 0; index < 5; index++) await clip(`Filler ${index}`, 5 + 7 * index, { folder: 'Fillers' });
  const collectionOf = async (folder: string, order: string) =>
    (await call('POST', '/collections', { name: folder, kind: 'video', source: { folder }, order })).body.id as string;
  return {
    streamID: (await call('POST', '/streams', { quality: 'q_720p', framerate: 'f_25' })).body.id as string,
    songs: await collectionOf('Songs', 'shuffle'),
    jingles: await collectionOf('Jingles', 'sequential'),
    fillers: await collectionOf('Fillers', 'shuffle'),
  };
}

type Channel = Awaited<ReturnType<typeof channel>>;

const rulesOf = ({ streamID, songs, jingles, fillers }: Channel) => ({
  streamID,
  timeZone: 'Europe/Berlin',
  blocks: [
    { id: 'music', name: 'Music', steps: [{ id: 'songs', collectionID: songs }] },
    {
      id: 'news',
      name: 'News',
      rule: 'FREQ=DAILY',
      at: '20:00',
      minutes: 15,
      starts: 'hard',
      ends: 'fill',
      steps: [{ id: 'bulletin', collectionID: songs, cursor: 'rerun' }],
    },
  ],
  inserts: [{ id: 'jingle', name: 'Jingle', collectionID: jingles, everyItems: 3 }],
  separation: [{ by: 'artist', items: 1, strength: 'must' }],
  filler: { collectionID: fillers },
});

const from = '2026-06-01T00:00:00.000Z';

/** Makes a programme, and gives it its rules. */
async function programme({ streamID, timeZone, ...rules }: ReturnType<typeof rulesOf>, caller = call) {
  const made = await caller('POST', '/programmes', { streamID, timeZone });
  expect(made).toMatchObject({ status: 201, body: { version: 1, timeZone, blocks: [] } });
  return caller('PATCH', `/programmes/${made.body.id}`, rules);
}

describe('a programme', () => {
  it('keeps its rules as they were sent, with what they left out', async () => {
    const made = rulesOf(await channel());
    const { status, body } = await programme(made);
    expect([status, body.errors]).toEqual([200, undefined]);
    expect(body).toMatchObject({ ...made, kind: 'video', version: 2, insertSecondsPerHour: null });
    const left = { rule: null, priority: 50, starts: 'next_item', ends: 'finish', ordered: false };
    expect(body.blocks[0]).toMatchObject(left);
    expect((await call('GET', `/programmes/${body.id}`)).body).toEqual(body);
    expect((await call('GET', `/programmes?streamID=${made.streamID}`)).body.data).toEqual([body]);
    const { streamID } = made;
    expect(await call('POST', '/programmes', { streamID })).toMatchObject({ body: { code: 'programme_exists' } });
  });

  const never = { rule: 'FREQ=DAILY', at: '20:00', minutes: 60 };
  it.each([
    ['an unknown collection', { filler: { collectionID: 'col_none' } }, '/filler/collectionID'],
    [
      'an unknown upload',
      { blocks: [{ id: 'b', name: 'b', steps: [{ id: 's', uploadID: 'upl_none' }] }] },
      '/blocks/0/steps/0/uploadID',
    ],
    ['a rule with hours', { blocks: [{ id: 'b', name: 'b', ...never, rule: 'FREQ=HOURLY', steps: [] }] }, '/blocks/0/'],
    [
      'an insert before an unknown block',
      { inserts: [{ id: 'i', name: 'i', uploadID: 'x', beforeBlockID: 'none' }] },
      '/inserts/0/beforeBlockID',
    ],
    [
      'days long ago',
      { blocks: [{ id: 'b', name: 'b', ...never, firstDay: '0001-01-01', steps: [{ id: 's', uploadID: 'x' }] }] },
      '/blocks/0/firstDay',
    ],
    [
      'an id that each object has',
      { blocks: [{ id: 'constructor', name: 'b', ...never, steps: [{ id: 's', uploadID: 'x' }] }] },
      '/blocks/0/id',
    ],
    [
      'more days that are counted than a plan can count',
      {
        blocks: ['b', 'c'].map((id) => {
          const hours = { rule: 'FREQ=DAILY;COUNT=600', at: '08:00', minutes: 60 };
          return { id, name: id, ...hours, steps: [{ id: 's', uploadID: 'x' }] };
        }),
      },
      '/blocks',
    ],
    ['a distance of nothing', { separation: [{ by: 'artist' }] }, '/separation/0'],
  ])('refuses %s, with a pointer to it', async (_, change, pointer) => {
    const { status, body } = await programme({ ...rulesOf(await channel()), ...change } as ReturnType<typeof rulesOf>);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(body.errors.map(({ path }: { path: string }) => path).join(' ')).toContain(pointer);
  });

  it('shows nobody else the programme, and takes nobody else’s collections', async () => {
    const made = rulesOf(await channel());
    const { body } = await programme(made);
    const other = await service.user();
    const asOther: typeof call = (...request) => other.call(...request);
    expect((await asOther('GET', `/programmes/${body.id}`)).status).toBe(404);
    expect((await asOther('GET', `/programmes/${body.id}/simulation`)).status).toBe(404);
    const own = (await asOther('POST', '/streams', { quality: 'q_720p' })).body.id;
    const answer = await programme({ ...made, streamID: own }, asOther);
    expect([answer.status, answer.body.code]).toEqual([422, 'programme_invalid']);
  });
});

describe('PATCH /programmes/{id}', () => {
  it('replaces the fields that are given, and refuses a version that the client has not seen', async () => {
    const made = rulesOf(await channel());
    const { id } = (await programme(made)).body;
    const changed = await call('PATCH', `/programmes/${id}`, { separation: [], expectedVersion: 2 });
    expect(changed).toMatchObject({ status: 200, body: { version: 3, separation: [], inserts: made.inserts } });
    const late = await call('PATCH', `/programmes/${id}`, { inserts: [], expectedVersion: 1 });
    expect(late).toMatchObject({ status: 422, body: { code: 'version_conflict' } });
    expect((await call('DELETE', `/programmes/${id}`)).status).toBe(204);
    expect((await call('GET', `/programmes/${id}`)).status).toBe(404);
  });
});

describe('GET /programmes/{id}/simulation', () => {
  async function simulated(query = '', change: object = {}) {
    const { id } = (await programme({ ...rulesOf(await channel()), ...change })).body;
    return { id, ...(await call('GET', `/programmes/${id}/simulation?from=${from}${query}`)) };
  }

  it('shows shares, rows and reasons, and always the same', async () => {
    const { id, status, body } = await simulated('&days=1&rows=1000');
    expect(status).toBe(200);
    expect(body.issues).toEqual([]);
    expect(body.rowCount).toBe(body.rows.length);
    expect(body.itemSeconds + body.insertSeconds + body.fillerSeconds).toBeGreaterThanOrEqual(86_400);
    const news = body.rows.filter((row: { blockID: string }) => row.blockID === 'news');
    expect(news[0].startAt).toBe('2026-06-01T18:00:00.000Z');
    expect(news.at(-1).endAt).toBe('2026-06-01T18:15:00.000Z');
    expect(news.at(-1).kind).toBe('filler');
    const songs = body.rows
      .filter((row: { kind: string }) => row.kind === 'item')
      .map((row: { artist: string }) => row.artist);
    expect(songs.some((artist: string, index: number) => artist === songs[index + 1])).toBe(false);
    expect(body.rows.some((row: { refused: unknown[] }) => row.refused.length > 0)).toBe(true);
    expect((await call('GET', `/programmes/${id}/simulation?from=${from}&days=1&rows=1000`)).body).toEqual(body);
  });

  it('is a table as CSV, and its pages are one plan', async () => {
    const { id, body } = await simulated('&days=1&rows=1000');
    const page = (await call('GET', `/programmes/${id}/simulation?from=${from}&days=1&rows=20&skip=30`)).body;
    expect(page.rows).toEqual(body.rows.slice(30, 50));
    expect(page.hasMoreRows).toBe(true);
    const csv = await call('GET', `/programmes/${id}/simulation?from=${from}&days=1&rows=1000&format=csv`);
    const lines = String(csv.body).trim().split('\r\n');
    expect(lines.length).toBe(body.rows.length + 1);
    expect(lines[1]!.split(',').slice(0, 3)).toEqual([body.rows[0].startAt, body.rows[0].endAt, 'item']);
  });

  it('names gaps, empty collections and rules that no upload meets', async () => {
    const base = await channel();
    const rules = rulesOf(base);
    const empty = (await call('POST', '/collections', { name: 'e', kind: 'video', source: { folder: 'None' } })).body
      .id;
    const [, news] = rules.blocks;
    const { id } = (
      await programme({
        ...rules,
        blocks: [
          news,
          {
            id: 'empty',
            name: 'e',
            rule: 'FREQ=DAILY',
            at: '10:00',
            minutes: 5,
            steps: [{ id: 's', collectionID: empty }],
          },
        ],
        separation: [{ by: 'artist', items: 5, strength: 'must' }],
        filler: null,
      } as never)
    ).body;
    const { body } = await call('GET', `/programmes/${id}/simulation?from=${from}&days=1`);
    const codes = body.issues.map(({ code, path }: { code: string; path: string }) => `${code} ${path}`);
    expect(codes).toContain('programme_gap /blocks');
    expect(codes).toContain('collection_empty /blocks/1/steps/0');
    expect(codes).toContain('block_never_plays /blocks/1');
    expect(codes).toContain('rule_relaxed /separation/0');
  });

  it('takes many days at once', async () => {
    const days = process.env['SUITE'] === 'nightly' ? 400 : 40;
    const { status, body } = await simulated(`&days=${days}&rows=0`);
    expect(status).toBe(200);
    expect(body.to).toBe(new Date(Date.parse(from) + days * 86_400_000).toISOString());
    expect(body.rowCount).toBeGreaterThan(400 * days);
  });
});

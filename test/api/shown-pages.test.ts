// Posters and previews of long lists: many who look at a stream cost the database little.
import type { PoolClient } from 'pg';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPreviewPlaylist } from '../../lambda/api/preview-playlists.ts';
import { createStreamPoster } from '../../lambda/api/stream-posters.ts';
import { livePosterKey } from '../../lambda/domain/media/object-keys.ts';
import { occurrencesFrom } from '../../lambda/domain/playout/play-out.ts';
import { workLimits } from '../../lambda/surfaces/admission/work-limits.ts';
import { createUncountedWorks } from '../../lambda/surfaces/admission/uncounted-work.ts';
import type { Shown } from '../../lambda/surfaces/preview-links.ts';
import { sealPreviewLink } from '../../lambda/surfaces/preview-links.ts';
import { createRestHandler } from '../../lambda/surfaces/rest/rest-handler.ts';
import { recordStatements } from '../migrate/statement-recording.ts';
import { actorsOn } from '../support/actors.ts';
import { pretendPrepared, pretendReceived } from '../support/live-inputs.ts';
import { baseURL, testService } from '../support/service.ts';

const service = testService();
const { activeStream, call, data, register, upload } = actorsOn(service);

const items = 1000;
const nameCharacters = 1000;
const listBytes = items * nameCharacters * 3;

// Pictures are made at once.
beforeAll(() =>
  service.pool().query(
    `create function finish_frame() returns trigger language plpgsql as $$
       begin new.state := 'ready'; return new; end $$;
     create trigger finish before insert on frames for each row execute function finish_frame()`,
  ),
);
beforeEach(() => register('agent'));

/** A stream that has been on air for half a minute, with a list of uploads that have long names. */
async function streamOfLongNames(backend = 'ffmpeg'): Promise<string> {
  const { id } = await activeStream('agent');
  const query = (statement: string) => service.pool().query(statement, [id]);
  await query(
    `update timeline_entries set bytes = null, snapshot = jsonb_set(snapshot, '{items}', (
       select jsonb_agg(snapshot -> 'items' -> 0 || jsonb_build_object(
         'itemID', 'item ' || n, 'name', repeat('長', ${nameCharacters}), 'titles', '{ "title": "長" }'::jsonb))
       from generate_series(1, ${items}) n))
     where stream_id = $1`,
  );
  await query(`update streams set anchored_at = now() - interval '30 seconds' where id = $1`);
  await query(`update replicas set backend = '${backend}' where stream_id = $1`);
  return id;
}

const look = (url: string) => service.send(new Request(url));
const posterOf = async (id: string): Promise<string> => (await call('GET', `/streams/${id}`)).body.posterURL;

/** The bytes that the service reads from its database meanwhile. */
async function bytesReadBy(work: () => Promise<unknown>): Promise<number> {
  const socketOf = (client: PoolClient) =>
    (client as unknown as { connection: { stream: { bytesRead: number } } }).connection.stream;
  const before = new Map<PoolClient, number>();
  const note = (client: PoolClient) => before.has(client) || before.set(client, socketOf(client).bytesRead);
  service.pool().on('acquire', note);
  await work();
  service.pool().off('acquire', note);
  return [...before].reduce((sum, [client, bytes]) => sum + socketOf(client).bytesRead - bytes, 0);
}

const thirtyLooks = (url: string) =>
  bytesReadBy(async () => {
    for (let made = 0; made < 30; made++) expect((await look(url)).status).toBeLessThan(400);
  });

it('a poster is of the contributor while viewers see one, once its ingest has stored it', async () => {
  const { id } = await activeStream('agent');
  await pretendPrepared(service, id);
  const posterURL = await posterOf(id);
  const { body: input } = await call('POST', '/live-inputs', { name: 'Studio', streamID: id });
  const sessionID = await pretendReceived(service, input.id);
  await call('POST', `/streams/${id}/takeovers`, { liveInputID: input.id });
  // Since now, of the pictures that follow the first four seconds of the session.
  await service.pool().query('update takeover_intervals set from_frame = 0, first_segment = 2');
  await service.pool().query('update streams set anchored_at = now() where id = $1', [id]);
  await service
    .pool()
    .query('update takeovers t set anchored_at = s.anchored_at from streams s where s.id = t.stream_id');
  expect((await look(posterURL)).status).toBe(404);
  const objectKey = livePosterKey(sessionID, 0);
  await service.objects().write(objectKey, Buffer.from('poster'), { contentType: 'image/jpeg' });
  const { status, headers } = await service.send(new Request(posterURL));
  expect([status, headers.get('location')]).toEqual([302, expect.stringContaining(objectKey)]);
});

it('thirty looks at a poster read a fraction of the list that plays', async () => {
  const posterURL = await posterOf(await streamOfLongNames());
  expect(await thirtyLooks(posterURL)).toBeLessThan(listBytes / 3);
});

it('thirty looks at a preview read the list that plays once or twice', async () => {
  const id = await streamOfLongNames('manifest');
  const { playlistURL } = (await call('POST', `/streams/${id}/preview`)).body;
  expect(await thirtyLooks(playlistURL)).toBeLessThan(2.5 * listBytes);
});

it('a poster that was seen is gone with its stream, and a preview changes with its timeline', async () => {
  const id = await streamOfLongNames('manifest');
  const posterURL = await posterOf(id);
  const { playlistURL } = (await call('POST', `/streams/${id}/preview`)).body;
  expect((await look(posterURL)).status).toBe(302);
  const segments = async () => (await look(playlistURL)).body.split('#EXTINF').length - 1;
  expect(await segments()).toBe(4);
  const [entry] = (await data().timelines.ofStream(id)).video;
  const [item] = entry!.snapshot.items;
  const still = { ...item!, kind: 'image', durationSeconds: 3600 } as const;
  const shown = { ...entry!, offsetSeconds: 1, snapshot: { ...entry!.snapshot, items: [still] } };
  const bytes = await bytesReadBy(async () => {
    await data().timelines.append(id, 'video', shown);
    await look(playlistURL);
  });
  expect(bytes).toBeGreaterThan(listBytes);
  await call('POST', `/streams/${id}/stop`);
  for (const url of [posterURL, playlistURL]) expect((await look(url)).status).toBe(404);
});

it('an outline plays as the whole timeline does, without its texts', async () => {
  const { id } = await activeStream('agent', { videoUploadObjectID: await upload({ durationSeconds: 7 }) });
  const [first] = (await data().timelines.ofStream(id)).video;
  const [item] = first!.snapshot.items;
  const of = (itemID: string, durationSeconds: number) => ({ ...item!, itemID, durationSeconds, name: itemID });
  const list = { ...first!.snapshot, mode: 'shuffle', items: [of('a', 5), of('b', 9), of('c', 2)] } as const;
  const planned = { ...first!.snapshot, planned: [{ kind: 'item', blockID: null, occurrenceMs: 0 }] } as const;
  for (const [offsetSeconds, snapshot] of [
    [20, list],
    [31, { ...first!.snapshot, isQueued: true }],
    [38, list],
    [80, planned],
  ] as const)
    await data().timelines.append(id, 'video', { ...first!, offsetSeconds, snapshot });
  const whole = (await data().timelines.ofStream(id)).video;
  for (const fromSeconds of [0, 10, 25, 33, 50, 79.5, 90]) {
    const outline = await data().timelines.outlineOf(id, 'video', { fromSeconds, toSeconds: fromSeconds + 16 });
    const rowsOf = (timeline: typeof whole, name: (of: string) => string) => {
      const rows = [];
      for (const { planned: _, ...row } of occurrencesFrom(timeline, fromSeconds * 30, 30)) {
        if (row.startFrame > (fromSeconds + 16) * 30) return rows;
        rows.push({ ...row, item: { ...row.item, name: name(row.item.name), objectKey: name(row.item.objectKey) } });
      }
      return rows;
    };
    expect(rowsOf(outline, (name) => name)).toEqual(rowsOf(whole, () => ''));
  }
});

describe('looks at once, each in a process that keeps nothing', () => {
  const isReading = (text: string) => /from timeline_entries/.test(text) && /^\s*select/.test(text);
  afterEach(() => vi.restoreAllMocks());

  /** A process that has just begun, at the limits of a stage. */
  const newProcess = () => {
    const common = { pool: service.pool(), objects: service.objects(), log: () => {} };
    const settings = { ...service.service().settings, rateLimitFactor: 1 };
    return createRestHandler({
      ...service.service(),
      settings,
      uncountedWorks: createUncountedWorks(),
      previewPlaylist: createPreviewPlaylist(common),
      poster: createStreamPoster(common),
    });
  };
  const statusIn = async (url: string) => (await newProcess()(new Request(url), '192.0.2.1')).status;

  it.each([
    ['posters', 200, 180],
    ['previews', 50, 30],
  ] as const)('of %s: %d, of which %d read the timeline', async (kind, looks, most) => {
    const id = await streamOfLongNames('manifest');
    const { playlistURL } = (await call('POST', `/streams/${id}/preview`)).body;
    const url = kind === 'posters' ? await posterOf(id) : playlistURL;
    const pool = service.pool();
    // oxlint-disable-next-line typescript/unbound-method -- applied to the pool that it is called on
    const original = pool.query;
    let [reads, refused] = [0, 0];
    const [all, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const note = () => void (reads + refused === looks && all.resolve());
    vi.spyOn(pool, 'query').mockImplementation(function held(this: typeof pool, ...args: unknown[]) {
      const send = () => Reflect.apply(original, this, args) as never;
      if (!isReading(String(args[0]))) return send();
      reads++;
      note();
      return end.promise.then(send) as never;
    });
    const answers = Array.from({ length: looks }, async () => {
      const status = await statusIn(url);
      if (status !== 429) return;
      refused++;
      note();
    });
    await all.promise;
    expect(reads).toBe(most);
    end.resolve();
    await Promise.all(answers);
  });

  it('wait for a poster that is being made only as far as its time is reserved', async () => {
    const posterURL = await posterOf(await streamOfLongNames());
    const process = newProcess();
    const query = (text: string, values?: unknown[]) => service.pool().query(text, values);
    // Two more may be under way.
    await query(
      `insert into request_windows (subject, class, began_at, requests, seconds, work_ms)
       select 'posters of ' || id, 'poster', now(), 0, 60, $1 from users where id = (
         select user_id from streams order by created_at desc limit 1)`,
      [workLimits.poster.mostMs[0] - 2 * workLimits.poster.reservedMs],
    );
    await query('alter table frames disable trigger finish');
    let refused = 0;
    const looks = Array.from({ length: 5 }, async () => {
      const { status } = await process(new Request(posterURL), '192.0.2.1');
      if (status === 429) refused++;
      return status;
    });
    await expect.poll(() => refused, { timeout: 20_000 }).toBe(3);
    await query('alter table frames enable trigger finish');
    await query(`update frames set state = 'ready'`);
    expect((await Promise.all(looks)).sort()).toEqual([302, 302, 429, 429, 429]);
  });

  it('are given back what they did not use: a page shows its hundred posters again and again', async () => {
    const posterURL = await posterOf(await streamOfLongNames());
    for (let round = 0; round < 3; round++) {
      // oxlint-disable-next-line no-await-in-loop -- a page asks again later
      const statuses = await Promise.all(Array.from({ length: 100 }, () => statusIn(posterURL)));
      expect(new Set(statuses)).toEqual(new Set([302]));
    }
  });

  it('are 1,500 a minute in a process that keeps what plays, without a further statement', async () => {
    const posterURL = await posterOf(await streamOfLongNames());
    const process = newProcess();
    const recording = recordStatements();
    for (let made = 0; made < 1500; made++)
      // oxlint-disable-next-line no-await-in-loop -- looks follow each other
      expect((await process(new Request(posterURL), '192.0.2.1')).status).toBe(302);
    const counted = recording.stop().filter(([, text]) => /count_work/.test(text)).length;
    expect(counted).toBeLessThan(1500 + 10);
  });
});

describe('posters and previews that take long', () => {
  let nowMs = 0;
  const slow = testService({ rateLimitFactor: 0.01, steadyClock: () => (nowMs += 150) });

  it.each<[Shown, string]>([
    ['poster', 'posters/LINK/now.jpg'],
    ['preview', 'previews/LINK/live.m3u8'],
  ])('count as several requests: a %s', async (shown, path) => {
    const { id: userID } = await slow.user();
    const expiresAt = new Date(Date.now() + 60_000);
    const link = sealPreviewLink('a secret for tests', shown, { streamID: 'str_0', userID, expiresAt });
    const url = `${baseURL}/${path.replace('LINK', link)}`;
    const statuses: number[] = [];
    for (let made = 0; made < 3; made++) statuses.push((await slow.send(new Request(url))).status);
    expect(statuses.at(0)).toBe(404);
    expect(statuses.at(-1)).toBe(429);
  });
});

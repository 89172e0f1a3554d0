// A watched podcast: a feed on a real server, whose episodes appear, change, move and disappear.
import { describe, expect, test } from 'vitest';
import { databaseOn } from '../../lambda/data/database.ts';
import { commandsTo } from '../support/outbox-rows.ts';
import { testService } from '../support/service.ts';
import { letFailSince, letMinutePass, scanAgain, startScanner, untilScanned, uploadsOf, watch } from './scanner.ts';
import { anyBytes, sendFile, startSource } from './source-server.ts';
import { startWorker } from './worker.ts';

const service = testService();

interface Episode {
  readonly guid: string;
  readonly url: string;
  readonly length?: number;
  readonly title?: string;
}

/** A podcast on loopback with changeable answers. */
async function startPodcast(episodes: Episode[] = []) {
  const podcast = { status: 200, episodes, authorization: undefined as string | undefined };
  const server = await startSource((request, response) => {
    podcast.authorization = request.headers.authorization;
    response.writeHead(podcast.status, { 'content-type': 'application/rss+xml' }).end(feedOf(podcast.episodes));
  });
  return Object.assign(podcast, {
    url: server.url('/feed.xml'),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  });
}

function feedOf(episodes: readonly Episode[]): string {
  const items = episodes.map(
    ({ guid, url, length = 1000, title = guid }) =>
      `<item><title>${title}</title><guid isPermaLink="false">${guid}</guid>` +
      `<enclosure url="${url}" length="${length}" type="audio/mpeg"/></item>`,
  );
  return `<?xml version="1.0"?><rss version="2.0"><channel><title>P</title>${items.join('')}</channel></rss>`;
}

const one = { guid: 'one', url: 'https://cdn.example.org/1.mp3?listener=7', title: 'First &amp; best' };
const two = { guid: 'two', url: 'https://cdn.example.org/2.mp3' };

test('its episodes become uploads under way, in the folder, once each', async () => {
  await using podcast = await startPodcast([one, two]);
  await using _scanner = startScanner(service);
  const user = await service.user();
  const source = await watch(user, { kind: 'rss', url: podcast.url, folder: 'Podcast' });
  expect(source).toMatchObject({ state: 'ok', reason: null, found: 2, imported: 2, everyMinutes: 60 });
  const uploads = await uploadsOf(user);
  expect(uploads).toMatchObject([
    { name: 'First & best', folder: 'Podcast', url: one.url, isRemoved: false },
    { name: 'two', folder: 'Podcast', url: two.url, isRemoved: false },
  ]);
  expect(await commandsTo(service, 'imports')).toEqual(
    expect.arrayContaining(uploads.map(({ id }) => ({ uploadID: id }))),
  );
  // Only the address differs, as it does for every listener.
  podcast.episodes = [{ ...one, url: one.url.replace('7', '8') }, two];
  await scanAgain(service, user, source.id);
  expect(await uploadsOf(user)).toEqual(uploads);
});

test('is looked at while sources of users who are not funded answer slowly', async () => {
  const asked: string[] = [];
  await using server = await startSource((request, response) => {
    asked.push(request.url!);
    // The free ones never get an answer.
    if (request.url === '/paying.xml') response.end(feedOf([one]));
  });
  for (const path of ['/free/1.xml', '/free/2.xml'])
    await (await service.user(0)).call('POST', '/sources', { kind: 'rss', url: server.url(path) });
  await using _scanner = startScanner(service);
  await expect.poll(() => asked).toHaveLength(1);
  const paying = await service.user();
  for (const _ of ['once', 'once more'])
    expect(await watch(paying, { kind: 'rss', url: server.url('/paying.xml') })).toMatchObject({ state: 'ok' });
  expect(asked.filter((path) => path.startsWith('/free'))).toHaveLength(1);
});

test('what changes there changes here, and nothing is deleted', async () => {
  await using podcast = await startPodcast([one, two]);
  await using _scanner = startScanner(service);
  const user = await service.user();
  const { id } = await watch(user, { kind: 'rss', url: podcast.url });
  const [first, second] = await uploadsOf(user);
  // The first is repaired, the second gets another guid, and a third appears.
  podcast.episodes = [
    { ...one, length: 2000 },
    { ...two, guid: 'zwei' },
    { guid: 'three', url: 'http://e.org/3.mp3' },
  ];
  expect(await scanAgain(service, user, id)).toMatchObject({ found: 3, imported: 3 });
  const changed = await uploadsOf(user);
  expect(changed.map(({ name }) => name)).toEqual(['First & best', 'First & best', 'three', 'zwei']);
  expect(changed.find(({ name }) => name === 'zwei')?.id).toBe(second!.id);
  expect(changed.map((upload) => upload.id)).toContain(first!.id);
  podcast.episodes = podcast.episodes.slice(1);
  expect(await scanAgain(service, user, id)).toMatchObject({ found: 2, imported: 2 });
  expect((await uploadsOf(user)).map(({ name, isRemoved }) => [name, isRemoved])).toEqual([
    ['First & best', false],
    ['First & best', true],
    ['three', false],
    ['zwei', false],
  ]);
  podcast.episodes = [{ ...one, length: 2000 }, ...podcast.episodes];
  await scanAgain(service, user, id);
  expect((await uploadsOf(user)).filter(({ isRemoved }) => isRemoved)).toEqual([]);
  // A source that is no longer watched keeps its uploads.
  expect((await user.call('DELETE', `/sources/${id}`)).status).toBe(204);
  expect(await uploadsOf(user)).toHaveLength(4);
});

test('an upload that its user deletes is not fetched again', async () => {
  await using podcast = await startPodcast([one]);
  await using _scanner = startScanner(service);
  const user = await service.user();
  const { id } = await watch(user, { kind: 'rss', url: podcast.url });
  await user.call('DELETE', `/uploads/${(await uploadsOf(user))[0]!.id}`);
  expect(await scanAgain(service, user, id)).toMatchObject({ found: 1, imported: 1 });
  expect(await uploadsOf(user)).toEqual([]);
});

test('what could not be fetched is fetched again when it is time, unless its user has deleted it', async () => {
  let status = 404;
  const bytes = anyBytes(1000);
  await using files = await startSource((request, response) => {
    if (status === 200) sendFile(bytes, request, response);
    else response.writeHead(status).end();
  });
  await using podcast = await startPodcast(
    ['1', '2', '3'].map((guid) => ({ guid, url: files.url(`/${guid}.mp3`), length: bytes.length })),
  );
  await using _scanner = startScanner(service);
  const worker = startWorker(service.pool(), service.objects());
  const user = await service.user();
  const states = async () => {
    const { data } = (await user.call('GET', '/uploads?limit=100&sort=name')).body;
    return (data as { externalSource: { state: string } }[]).map(({ externalSource }) => externalSource.state);
  };
  const { id } = await watch(user, { kind: 'rss', url: podcast.url });
  await expect.poll(states, { timeout: 15_000, interval: 20 }).toEqual(['failed', 'failed', 'failed']);
  const [first, second, third] = await uploadsOf(user);
  // The next scan is not due yet.
  expect(await scanAgain(service, user, id)).toMatchObject({ found: 3, imported: 0 });
  expect(await states()).toEqual(['failed', 'failed', 'failed']);

  await user.call('DELETE', `/uploads/${second!.id}`);
  // The sweep does this with uploads that have not arrived for a week.
  await service.pool().query('delete from uploads where id = $1', [third!.id]);
  await service.pool().query(`update source_files set retry_at = retry_at - interval '61 minutes'`);
  status = 200;
  await scanAgain(service, user, id);
  await expect.poll(states, { timeout: 15_000, interval: 20 }).toEqual(['completed', 'completed']);
  const again = await uploadsOf(user);
  expect(again.map(({ name }) => name)).toEqual(['1', '3']);
  expect(again[0]!.id).toBe(first!.id);
  expect(await scanAgain(service, user, id)).toMatchObject({ found: 3, imported: 2 });
  expect(await uploadsOf(user)).toHaveLength(2);
  await worker.stop();
});

test('what could not be fetched is fetched again at once with other credentials', async () => {
  const bytes = anyBytes(1000);
  const right = `Basic ${Buffer.from('ada:the new password').toString('base64')}`;
  await using server = await startSource((request, response) => {
    if (request.url === '/feed.xml')
      response.end(feedOf([{ guid: 'one', url: server.url('/1.mp3'), length: bytes.length }]));
    else if (request.headers.authorization === right) sendFile(bytes, request, response);
    else response.writeHead(401).end();
  });
  await using _scanner = startScanner(service);
  const worker = startWorker(service.pool(), service.objects());
  const user = await service.user();
  const credentials = { username: 'ada', password: 'the old password' };
  const { id } = await watch(user, { kind: 'rss', url: server.url('/feed.xml'), credentials });
  const [upload] = await uploadsOf(user);
  const state = async () => (await user.call('GET', `/uploads/${upload!.id}`)).body.externalSource.state;
  await expect.poll(state, { timeout: 15_000, interval: 20 }).toBe('failed');
  await letMinutePass(service, id);
  await user.call('PATCH', `/sources/${id}`, { credentials: { ...credentials, password: 'the new password' } });
  await expect.poll(state, { timeout: 15_000, interval: 20 }).toBe('completed');
  await worker.stop();
});

test('what fails again is fetched ever more rarely', async () => {
  await using podcast = await startPodcast([one]);
  await using _scanner = startScanner(service);
  const user = await service.user();
  await watch(user, { kind: 'rss', url: podcast.url });
  const [upload] = await uploadsOf(user);
  const { sourceFiles } = databaseOn(service.pool());
  const hours: number[] = [];
  for (let failure = 0; failure < 10; failure++) {
    await sourceFiles.recordEnd(upload!.id, true);
    const { rows } = await service
      .pool()
      .query('select extract(epoch from retry_at - now()) / 3600 as hours from source_files where upload_id = $1', [
        upload!.id,
      ]);
    hours.push(Math.round(Number(rows[0].hours)));
  }
  expect(hours).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 168, 168]);
});

test('what has no room waits, and the source says so', async () => {
  await using podcast = await startPodcast(
    Array.from({ length: 30 }, (_, index) => ({ guid: `e${index}`, url: `https://cdn.example.org/${index}.mp3` })),
  );
  await using _scanner = startScanner(service, { limitFactor: 1 });
  const user = await service.user(0);
  const source = await watch(user, { kind: 'rss', url: podcast.url });
  expect(source).toMatchObject({ state: 'ok', found: 30, imported: 20, reason: { code: 'files_waiting' } });
  expect(source.reason.detail).toMatch(/^10 files wait for a next look\. You have 20 of at most 20 imports under way/);
  const [upload] = await uploadsOf(user);
  await user.call('DELETE', `/uploads/${upload!.id}`);
  expect(await scanAgain(service, user, source.id)).toMatchObject({ imported: 21 });
});

test('a source that never answers holds up its own user alone', async () => {
  const asked = Promise.withResolvers<void>();
  await using silent = await startSource(() => asked.resolve());
  await using podcast = await startPodcast([one]);
  await using _scanner = startScanner(service);
  const [slow, other] = [await service.user(), await service.user()];
  await slow.call('POST', '/sources', { kind: 'rss', url: silent.url('/feed.xml') });
  await asked.promise;
  const { body: second } = await slow.call('POST', '/sources', { kind: 'rss', url: podcast.url });
  for (let turn = 0; turn < 2; turn++)
    expect(await watch(other, { kind: 'rss', url: podcast.url })).toMatchObject({ found: 1 });
  expect((await slow.call('GET', `/sources/${second.id}`)).body.lastScanAt).toBeNull();
});

describe('a source that fails', () => {
  const notified = async (userID: string) => {
    const { rows } = await service
      .pool()
      .query('select kind, detail from notifications where user_id = $1 order by id', [userID]);
    return rows;
  };

  test('for an hour is told once, by mail and webhook, and once when it is well again', async () => {
    await using podcast = await startPodcast([one]);
    await using _scanner = startScanner(service);
    const user = await service.user();
    const hook = { url: 'http://127.0.0.1:9/', events: ['source.failing', 'source.recovered'] };
    const { body: webhook } = await user.call('POST', '/webhooks', hook);
    const told = async () => {
      const { data } = (await user.call('GET', `/webhooks/${webhook.id}/deliveries`)).body;
      return (data as { eventType: string }[]).map(({ eventType }) => eventType).toReversed();
    };
    const { id } = await watch(user, { kind: 'rss', url: podcast.url, everyMinutes: 1440 });
    podcast.status = 503;
    expect(await scanAgain(service, user, id)).toMatchObject({
      state: 'ok',
      reason: { code: 'source_failed' },
      found: 1,
    });
    await letFailSince(service, id, 59);
    expect(await scanAgain(service, user, id)).toMatchObject({ state: 'ok' });
    expect(await told()).toEqual([]);
    await letFailSince(service, id, 61);
    expect(await scanAgain(service, user, id)).toMatchObject({ state: 'failing' });
    expect(await scanAgain(service, user, id)).toMatchObject({ state: 'failing' });
    expect(await told()).toEqual(['source.failing']);
    expect(await notified(user.id)).toMatchObject([{ kind: 'source_failing', detail: { sourceID: id } }]);
    podcast.status = 200;
    expect(await scanAgain(service, user, id)).toMatchObject({ state: 'ok', reason: null });
    expect(await told()).toEqual(['source.failing', 'source.recovered']);
    expect(await notified(user.id)).toHaveLength(1);
  });

  test('by a wrong password is told at once, and looked at as soon as it has another one', async () => {
    await using podcast = await startPodcast([one]);
    podcast.status = 401;
    await using scanner = startScanner(service);
    const user = await service.user();
    const credentials = { username: 'ada', password: 'the old password' };
    const source = await watch(user, { kind: 'rss', url: podcast.url, credentials, everyMinutes: 1440 });
    expect(source).toMatchObject({ state: 'failing', hasCredentials: true, reason: { code: 'access_refused' } });
    expect(source.reason.detail).toMatch(/update_source/);
    expect(podcast.authorization).toBe(`Basic ${Buffer.from('ada:the old password').toString('base64')}`);
    podcast.status = 200;
    await letMinutePass(service, source.id);
    const { lastScanAt } = (await user.call('GET', `/sources/${source.id}`)).body;
    await user.call('PATCH', `/sources/${source.id}`, {
      credentials: { ...credentials, password: 'the new password' },
    });
    expect(await untilScanned(user, source.id, lastScanAt)).toMatchObject({ state: 'ok', found: 1 });
    expect(podcast.authorization).toBe(`Basic ${Buffer.from('ada:the new password').toString('base64')}`);
    const { rows } = await service.pool().query('select * from sources');
    for (const text of [JSON.stringify(scanner.events), JSON.stringify(rows)]) expect(text).not.toContain('password');
  });
});

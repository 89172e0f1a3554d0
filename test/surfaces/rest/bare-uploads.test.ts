// The bare server of the bench of the API gives the answers of the REST surface: else their ratio would mean nothing.
import { expect, it } from 'vitest';
import type { Hono } from 'hono';
import { uploadSchema } from '../../../lambda/operations/uploads/upload-schema.ts';
import { createBareServer } from '../../bench/api-bare.ts';
import { actorsOn } from '../../support/actors.ts';
import { managedActors } from '../../support/managed-streams.ts';
import { pretendProbed, testService } from '../../support/service.ts';
import { failProbe, nameContent } from '../../support/stored-uploads.ts';

const service = testService();
const actors = actorsOn(service);
const { call, create } = actors;
const { onChannel } = managedActors(service, actors);

it('answers pages, searches and uploads of every kind', async () => {
  const ids = await uploadsOfEveryKind();
  const bare = bareServer();
  const paths = ['?limit=3', '?limit=100', '?q=film&limit=20', ...ids.map((id) => `/${id}`)];
  const answersOf = (get: (path: string) => Promise<Body>) =>
    Promise.all(paths.map(async (path) => ({ path, ...shown(await get(`/uploads${path}`)) })));
  const answers = await answersOf(async (path) => (await call('GET', path)).body);
  expect(await answersOf((path) => bare('GET', path))).toEqual(answers);
  // An answer without a value would be equal by chance.
  const uploads = answers.slice(-ids.length);
  const empty = Object.keys(uploadSchema.shape).filter((field) => uploads.every((each) => isEmpty(each[field])));
  expect(empty).toEqual([]);
});

it('answers a new upload', async () => {
  const body = { name: 'bench.mp4', mimeType: 'video/mp4' };
  const made = await call('POST', '/uploads', body);
  const { id, createdAt } = made.body;
  expect({ ...(await bareServer()('POST', '/uploads', body)), id, createdAt }).toEqual(made.body);
});

// oxlint-disable-next-line typescript/no-explicit-any -- tests assert on the answers
type Body = any;

/** Calls a bare server as the user of the test. @returns the body of the answer */
function bareServer() {
  const server: Hono<{ Variables: { userID: string } }> = createBareServer(service.pool(), service.objects());
  return async (method: string, path: string, body?: object): Promise<Body> => {
    const headers = { 'x-api-key': actors.user().apiKey, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    return (await server.request(`/v1${path}`, { method, headers, ...sent })).json();
  };
}

/** An answer without what differs by call: the cursor, and when URLs expire. */
function shown({ page, ...answer }: Body): Body {
  const text = JSON.stringify({ ...answer, ...(page && { hasMore: page.hasMore }) });
  return JSON.parse(text.replaceAll(/\?[^"]*/g, ''));
}

function isEmpty(value: unknown): boolean {
  return !value || (Array.isArray(value) && value.length === 0);
}

/** Uploads that have a value in each field, and one use of each kind. @returns their ids */
async function uploadsOfEveryKind(): Promise<string[]> {
  const poster = await create('/uploads', { name: 'poster', mimeType: 'image/png' });
  await pretendProbed(service, poster, { durationSeconds: null, videoCodec: 'png', audioCodec: null });
  const film = await create('/uploads', { name: 'film', folder: 'Films', tags: ['a'], mimeType: 'video/mp4' });
  await pretendProbed(service, film, { durationSeconds: 60 });
  for (const id of [poster, film]) await inspect(id);
  await service
    .pool()
    .query(`update uploads set file_tags = '{"title": "File", "album": "Album"}' where id = $1`, [film]);
  await arrange(poster, { showSeconds: 15 });
  await arrange(film, {
    title: 'The film',
    artist: 'Ada',
    artworkUploadID: poster,
    captions: '1\n00:00:00,000 --> 00:00:02,000\nHello\n',
    availability: { until: '2030-01-01T00:00:00Z', hours: [{ days: ['MO'], from: '09:30', to: '12:00' }] },
    orderReference: 'order 7',
    advertiser: 'Acme',
  });
  const clip = await create(`/uploads/${film}/clips`, { fromSeconds: 12.5 });
  const streamID = await create('/streams', { videoUploadObjectID: film });
  const playlist = await create('/playlists', { streamID, kind: 'video', mode: 'sequential' });
  await call('POST', `/playlists/${playlist}/operations`, { operations: [{ op: 'add', uploadID: film }] });
  await onChannel(undefined, { thumbnailUploadID: poster });
  const inParts = await create('/uploads', { name: 'part', mimeType: 'video/mp4', fileSize: 5, multipart: true });
  const broken = await create('/uploads', { name: 'broken', mimeType: 'video/mp4' });
  await failProbe(service, broken, 'unreadable');
  return [poster, film, clip, inParts, broken, await listedImport()];
}

async function arrange(id: string, body: object): Promise<void> {
  expect(await call('PATCH', `/uploads/${id}`, body)).toMatchObject({ status: 200 });
}

/** Stores what an inspection finds in the content of an upload. */
async function inspect(id: string): Promise<void> {
  await nameContent(service, id);
  await service.pool().query(
    `update inspections i set share = 1, state = 'completed',
       findings = '[{"kind": "black", "startSeconds": 1, "endSeconds": 2, "detail": "It is black."}]',
       loudness = '{"integratedLUFS": -20, "rangeLU": 3, "truePeakDBTP": -1}',
       pictures = '{"hasThumbnail": true, "hasStoryboard": true}'
     from uploads u where u.id = $1 and i.content_hash = u.content_hash`,
    [id],
  );
}

/** An import that a watched source has listed, and no longer lists. */
async function listedImport(): Promise<string> {
  const id = await create('/uploads/import', { url: 'https://example.com/a.mp4' });
  const userID = actors.user().id;
  await service.pool().query(
    `insert into sources (id, user_id, kind, url, folder, every_minutes)
     values ('src_1', $1, 'rss', 'https://example.com/feed', '', 10)`,
    [userID],
  );
  await service.pool().query(
    `insert into source_files (source_id, path, version, upload_id, removed_at)
     values ('src_1', 'a', '1', $1, now())`,
    [id],
  );
  await service.pool().query(`update imports set source_id = 'src_1', bytes_received = 7 where upload_id = $1`, [id]);
  return id;
}

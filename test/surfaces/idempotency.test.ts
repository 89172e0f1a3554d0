// An Idempotency-Key on a POST: one effect and one answer for any number of repetitions, for a day.
import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../lambda/operations/index.ts';
import { databaseOn } from '../../lambda/data/database.ts';
import { all } from '../../lambda/data/shared/queryable.ts';
import { bounds } from '../../lambda/domain/shared/bounds.ts';
import { keptAnswersOf, letAnswerAge } from '../support/kept-answers.ts';
import { storeLongPlaylist } from '../support/long-playlists.ts';
import { countRows } from '../support/rows.ts';
import { baseURL, pretendProbed, testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';
import { objectKeyOf } from '../support/stored-uploads.ts';

const service = testService();
let user: TestUser;
beforeAll(async () => {
  user = await service.user();
});

interface RawAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Headers of an answer without those that count requests, and its raw text. */
async function post(path: string, body: unknown, key: string, as: TestUser = user): Promise<RawAnswer> {
  const headers = { 'x-api-key': as.apiKey, 'content-type': 'application/json', 'idempotency-key': key };
  const response = await service.handler()(
    new Request(baseURL + path, { method: 'POST', headers, body: JSON.stringify(body) }),
    '192.0.2.1',
  );
  const kept = [...response.headers].filter(([name]) => !name.startsWith('ratelimit-'));
  return { status: response.status, text: await response.text(), headers: Object.fromEntries(kept) };
}

const codeOf = ({ text }: RawAnswer) => (JSON.parse(text) as { code?: string }).code;

async function newUpload(): Promise<string> {
  return (await user.call('POST', '/uploads', { name: 'a.mp4', mimeType: 'video/mp4' })).body.id;
}

async function newPlaylist(): Promise<{ streamID: string; playlistID: string }> {
  const uploadID = await newUpload();
  await pretendProbed(service, uploadID);
  const { body: destination } = await user.call('POST', '/destinations', {
    name: 'd',
    rtmpURL: 'rtmp://127.0.0.1/live',
    streamKey: 'k',
  });
  const { body: stream } = await user.call('POST', '/streams', { destinationID: destination.id });
  const { body: playlist } = await user.call('POST', '/playlists', {
    streamID: stream.id,
    kind: 'video',
    mode: 'sequential',
  });
  await user.call('POST', `/playlists/${playlist.id}/operations`, { operations: [{ op: 'add', uploadID }] });
  return { streamID: stream.id, playlistID: playlist.id };
}

/** A successful request for each POST: its path and body. */
const requests: Readonly<Record<string, () => Promise<readonly [path: string, body: unknown]>>> = {
  createStream: async () => ['/streams', { name: 'one' }],
  startStream: async () => [`/streams/${(await newPlaylist()).streamID}/start`, {}],
  stopStream: async () => [`/streams/${(await newPlaylist()).streamID}/stop`, {}],
  scheduleStream: async () => [
    `/streams/${(await newPlaylist()).streamID}/schedule`,
    { scheduleStartAt: '2999-01-01T00:00:00Z' },
  ],
  createUpload: async () => ['/uploads', { name: 'a.mp4', mimeType: 'video/mp4' }],
  createUploadUrl: async () => [`/uploads/${await newUpload()}/upload-url`, {}],
  completeUpload: async () => {
    const id = await newUpload();
    await service.objects().write(await objectKeyOf(service, id), Buffer.from('abc'), { contentType: 'video/mp4' });
    return [`/uploads/${id}/complete`, {}];
  },
  createPlaylist: async () => [
    '/playlists',
    { streamID: (await newPlaylist()).streamID, kind: 'audio', mode: 'shuffle' },
  ],
  applyPlaylistOperations: async () => [
    `/playlists/${(await newPlaylist()).playlistID}/operations`,
    { operations: [{ op: 'setMode', mode: 'shuffle' }] },
  ],
  publishPlaylist: async () => [`/playlists/${(await newPlaylist()).playlistID}/publish`, {}],
  createDestination: async () => ['/destinations', { name: 'd', rtmpURL: 'rtmp://127.0.0.1/live', streamKey: 'k' }],
};

/** A number that every effect of these requests increases. */
async function effects(): Promise<number> {
  const [row] = await all<{ versions: number }>(service.pool(), 'select sum(version) as versions from playlists');
  return (row!.versions ?? 0) + (await countRows(service, 'streams', 'uploads', 'outbox'));
}

describe.for(Object.entries(requests))('%s', ([, request]) => {
  it('is answered again byte for byte, and changes nothing the second time', async () => {
    const [path, body] = await request();
    const first = await post(path, body, 'again');
    expect([200, 201, 202]).toContain(first.status);
    const before = await effects();
    const second = await post(path, body, 'again');
    expect(second).toEqual({ ...first, headers: { ...first.headers, 'idempotency-replayed': 'true' } });
    expect(await effects()).toBe(before);
    // Another path with the same key is another request.
    if (path.includes('/', 1))
      expect(codeOf(await post(path.replace(/_\w+/, '_x'), body, 'again'))).toBe('idempotency_key_reused');
  });
});

it('the requests that are repeated here are POSTs of the catalogue', () => {
  const posts = new Set(operations.filter(({ method }) => method === 'POST').map(({ id }) => id));
  expect(Object.keys(requests).filter((id) => !posts.has(id))).toEqual([]);
});

it('the same fields in another order are the same request, other values are another', async () => {
  const first = await post('/uploads', { name: 'a', mimeType: 'video/mp4' }, 'order');
  expect((await post('/uploads', { mimeType: 'video/mp4', name: 'a' }, 'order')).text).toBe(first.text);
  const other = await post('/uploads', { name: 'b', mimeType: 'video/mp4' }, 'order');
  expect([other.status, codeOf(other)]).toEqual([422, 'idempotency_key_reused']);
});

it('a key of another user or for another operation is another key', async () => {
  const stranger = await service.user();
  const answers = [
    await post('/streams', {}, 'mine'),
    await post('/streams', {}, 'mine', stranger),
    await post('/uploads', { name: 'a', mimeType: 'video/mp4' }, 'mine'),
  ];
  expect(answers.map(({ status, headers }) => [status, headers['idempotency-replayed']])).toEqual([
    [201, undefined],
    [201, undefined],
    [201, undefined],
  ]);
});

it('a refusal is not kept, so that the same key can be used once the request can succeed', async () => {
  const id = await newUpload();
  expect(codeOf(await post(`/uploads/${id}/complete`, {}, 'early'))).toBe('upload_incomplete');
  await pretendProbed(service, id);
  const done = await post(`/uploads/${id}/complete`, {}, 'early');
  expect([done.status, done.headers['idempotency-replayed']]).toEqual([200, undefined]);
});

it('a key can be used again after a day', async () => {
  const daySeconds = 24 * 3600;
  const first = await post('/streams', { name: 'one' }, 'old');
  await letAnswerAge(service, 'old', daySeconds - 60);
  expect((await post('/streams', { name: 'one' }, 'old')).text).toBe(first.text);
  await letAnswerAge(service, 'old', daySeconds + 1);
  const later = await post('/streams', { name: 'two' }, 'old');
  expect([later.status, later.headers['idempotency-replayed']]).toEqual([201, undefined]);
  expect((await post('/streams', { name: 'two' }, 'old')).text).toBe(later.text);
});

interface NamedRequest {
  readonly key: string;
  readonly name: string;
}

/** The first answer to each key that created a stream, with the name of that stream. */
type MadeStreams = Map<string, { readonly name: string; readonly text: string }>;

/** Fails unless each answer is the one effect of its key, or explains why it is not. */
function judgeRound(answers: readonly (NamedRequest & { answer: RawAnswer })[], made: MadeStreams): void {
  for (const { key, name, answer } of answers) {
    if (answer.status !== 201 || answer.headers['idempotency-replayed'] !== undefined) continue;
    expect(made.has(key)).toBe(false);
    made.set(key, { name, text: answer.text });
  }
  for (const { key, name, answer } of answers) {
    if (answer.status === 201) {
      expect({ name, text: answer.text }).toEqual(made.get(key));
      continue;
    }
    const isRepeated = name === made.get(key)?.name;
    const codes = isRepeated ? ['idempotency_in_progress'] : ['idempotency_in_progress', 'idempotency_key_reused'];
    expect(answer.status).toBe(422);
    expect(codes).toContain(codeOf(answer));
  }
}

it('of requests at once under any keys, each key has one effect, and each answer is that or says why not', async () => {
  const request = fc.record({ key: fc.constantFrom('a', 'b', 'c'), name: fc.constantFrom('x', 'y') });
  const anyRound = fc.array(request, { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.array(anyRound, { minLength: 1, maxLength: 4 }), async (rounds) => {
      const caller = await service.user(0);
      const made: MadeStreams = new Map();
      const send = async ({ key, name }: NamedRequest) => ({
        key,
        name,
        answer: await post('/streams', { name }, key, caller),
      });
      for (const round of rounds) judgeRound(await Promise.all(round.map(send)), made);
      const { body } = await caller.call('GET', '/streams?limit=100');
      const names = body.data.map((stream: { name: string }) => stream.name);
      expect(names.sort()).toEqual([...made.values()].map(({ name }) => name).sort());
    }),
    { numRuns: 10 },
  );
});

describe('a large answer', () => {
  /** A playlist whose answer has 578,402 bytes, and a request with that answer. */
  const longPlaylist = async (owner: TestUser, id: string) => {
    const { body: stream } = await owner.call('POST', '/streams', {});
    await storeLongPlaylist(service, { id, userID: owner.id, streamID: stream.id, isLive: true });
    return (key: string) =>
      post(`/playlists/${id}/operations`, { operations: [{ op: 'setMode', mode: 'shuffle' }] }, key, owner);
  };
  const keptBytes = async (owner: TestUser) =>
    (await keptAnswersOf(service, owner.id)).reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);

  it('is not kept: what it showed is read again, and nothing is done twice', { timeout: 30_000 }, async () => {
    const owner = await service.user();
    const setMode = await longPlaylist(owner, 'ply_large');
    const first = await setMode('large');
    expect(Buffer.byteLength(first.text)).toBeGreaterThan(100_000);
    const second = await setMode('large');
    expect([second.status, second.headers['idempotency-replayed']]).toEqual([200, 'true']);
    expect(second.text).toBe(first.text);
    expect(await keptBytes(owner)).toBeLessThan(1000);
    await owner.call('DELETE', '/playlists/ply_large');
    expect(codeOf(await setMode('large'))).toBe('not_found');
  });

  it('of which there are many takes no more than 32 MiB of a user', async () => {
    const owner = await service.user();
    const { limits } = databaseOn(service.pool());
    await service
      .pool()
      .query(`insert into limit_use (user_id, limit_name, used) values ($1, 'keptAnswerBytes', $2)`, [
        owner.id,
        bounds.keptAnswerBytesPerUser,
      ]);
    const { body: stream } = await owner.call('POST', '/streams', {});
    const { body: playlist } = await owner.call('POST', '/playlists', {
      streamID: stream.id,
      kind: 'video',
      mode: 'sequential',
    });
    const uploadIDs = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const { body } = await owner.call('POST', '/uploads', { name: 'a', mimeType: 'video/mp4', fileSize: 1 });
        return body.id as string;
      }),
    );
    const operations = uploadIDs.map((uploadID) => ({ op: 'add', uploadID }));
    const first = await post(`/playlists/${playlist.id}/operations`, { operations }, 'many', owner);
    const second = await post(`/playlists/${playlist.id}/operations`, { operations }, 'many', owner);
    expect([first.status, second.text]).toEqual([200, first.text]);
    expect(await keptBytes(owner)).toBeLessThan(100);
    await limits.override(owner.id, 'keptAnswers', 1);
    const refused = await post('/streams', {}, 'one-more', owner);
    expect(codeOf(refused)).toBe('limit_reached');
    expect((await owner.call('POST', '/streams', {})).status).toBe(201);
  });
});

it('as many requests with keys are answered as there is room for, however many come at once', async () => {
  const owner = await service.user();
  await databaseOn(service.pool()).limits.override(owner.id, 'keptAnswers', 5);
  const keys = Array.from({ length: 16 }, (_, index) => `at-once-${index}`);
  const answers = await Promise.all(keys.map((key) => post('/streams', {}, key, owner)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
  expect(new Set(answers.filter(({ status }) => status !== 201).map(codeOf))).toEqual(new Set(['limit_reached']));
  expect((await owner.call('GET', '/streams')).body.data).toHaveLength(5);
  expect(await keptAnswersOf(service, owner.id)).toHaveLength(5);
});

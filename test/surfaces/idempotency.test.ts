// An Idempotency-Key on every POST: one effect and one answer, whoever repeats it, however many at once, for a day.
import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../lambda/operations/index.ts';
import { baseURL, pretendProbed, testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';

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

/** Headers of an answer but those that count requests, and the text as it came. */
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

/** For each POST a request that succeeds: its path and body. */
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
    const { rows } = await service.pool().query('select object_key from uploads where id = $1', [id]);
    await service.objects().write(rows[0].object_key, Buffer.from('abc'), { contentType: 'video/mp4' });
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

describe.for(Object.entries(requests))('%s', ([, request]) => {
  it('is answered again byte for byte, and changes nothing the second time', async () => {
    const [path, body] = await request();
    const first = await post(path, body, 'again');
    expect([200, 201, 202]).toContain(first.status);
    const rows = async () =>
      (
        await service
          .pool()
          .query(
            'select (select count(*) from streams) + (select count(*) from uploads) + (select count(*) from outbox) + (select sum(version) from playlists) as n',
          )
      ).rows[0].n;
    const before = await rows();
    const second = await post(path, body, 'again');
    expect(second).toEqual({ ...first, headers: { ...first.headers, 'idempotency-replayed': 'true' } });
    expect(await rows()).toBe(before);
    // Another path is another request.
    if (path.includes('/', 1))
      expect(codeOf(await post(path.replace(/_\w+/, '_x'), body, 'again'))).toBe('idempotency_key_reused');
  });
});

it('the requests tried here are POSTs of the catalogue', () => {
  const posts = new Set(operations.filter(({ method }) => method === 'POST').map(({ id }) => id));
  expect(Object.keys(requests).filter((id) => !posts.has(id))).toEqual([]);
});

it('the same fields in another order are the same request, other values are another', async () => {
  const first = await post('/uploads', { name: 'a', mimeType: 'video/mp4' }, 'order');
  expect((await post('/uploads', { mimeType: 'video/mp4', name: 'a' }, 'order')).text).toBe(first.text);
  const other = await post('/uploads', { name: 'b', mimeType: 'video/mp4' }, 'order');
  expect([other.status, codeOf(other)]).toEqual([422, 'idempotency_key_reused']);
});

it('a key belongs to one user and one operation', async () => {
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

it('a failure is not kept: the same key does it once it can be done', async () => {
  const id = await newUpload();
  expect(codeOf(await post(`/uploads/${id}/complete`, {}, 'early'))).toBe('upload_incomplete');
  await pretendProbed(service, id);
  const done = await post(`/uploads/${id}/complete`, {}, 'early');
  expect([done.status, done.headers['idempotency-replayed']]).toEqual([200, undefined]);
});

it('after a day the key is free', async () => {
  const first = await post('/streams', { name: 'one' }, 'old');
  await service
    .pool()
    .query(`update idempotent_answers set created_at = now() - interval '23 hours 59 minutes' where key = 'old'`);
  expect((await post('/streams', { name: 'one' }, 'old')).text).toBe(first.text);
  await service
    .pool()
    .query(`update idempotent_answers set created_at = now() - interval '24 hours 1 second' where key = 'old'`);
  const later = await post('/streams', { name: 'two' }, 'old');
  expect([later.status, later.headers['idempotency-replayed']]).toEqual([201, undefined]);
  expect((await post('/streams', { name: 'two' }, 'old')).text).toBe(later.text);
});

it('whatever comes at once under whatever keys: each key has one effect, and each answer is that effect or says why not', async () => {
  const sent = fc.record({ key: fc.constantFrom('a', 'b', 'c'), name: fc.constantFrom('x', 'y') });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(sent, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 }),
      async (rounds) => {
        const caller = await service.user(0);
        const made = new Map<string, { readonly name: string; readonly text: string }>();
        for (const round of rounds) {
          const answers = await Promise.all(
            round.map(async (request) => ({
              ...request,
              answer: await post('/streams', { name: request.name }, request.key, caller),
            })),
          );
          for (const { key, name, answer } of answers) {
            if (answer.status === 201 && answer.headers['idempotency-replayed'] === undefined) {
              expect(made.has(key)).toBe(false);
              made.set(key, { name, text: answer.text });
            }
          }
          for (const { key, name, answer } of answers) {
            if (answer.status === 201) expect({ name, text: answer.text }).toEqual(made.get(key));
            else
              expect([422, codeOf(answer)]).toEqual([
                answer.status,
                name === made.get(key)?.name
                  ? 'idempotency_in_progress'
                  : expect.stringMatching(/^idempotency_(key_reused|in_progress)$/),
              ]);
          }
        }
        const { rows } = await service.pool().query('select name from streams where user_id = $1', [caller.id]);
        expect(rows.map((row) => row.name).sort()).toEqual([...made.values()].map(({ name }) => name).sort());
      },
    ),
    { numRuns: 10 },
  );
});

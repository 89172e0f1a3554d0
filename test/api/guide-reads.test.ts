// A guide reads what is shown or planned of a long list, and like other reads it locks nothing.
import { beforeEach, expect, it, vi } from 'vitest';
import { actorsOn, inFuture } from '../support/actors.ts';
import { testService } from '../support/service.ts';

const service = testService();
const { call, create, readyStream, upload } = actorsOn(service);
const itemCount = 1000;
/** Titles as long as those of files and users may be. */
const titles = Object.fromEntries(['title', 'artist', 'album'].map((field) => [field, field[0]!.repeat(200)]));
/** Tags that its user arranges uploads by, which no guide shows. */
const tags = Array.from({ length: 32 }, (_, index) => `tag ${index} `.padEnd(50, 'x'));

let streamID: string;
let playlistID: string;

/** A stream that is scheduled, with a list of many uploads. */
beforeEach(async () => {
  streamID = await readyStream({ name: 'Evening', videoUploadObjectID: null });
  playlistID = await create('/playlists', { streamID, kind: 'video', mode: 'sequential' });
  await insertList(await upload({ durationSeconds: 7 }));
  const schedule = { scheduleStartAt: inFuture(3600), scheduleEndAt: inFuture(2 * 86_400) };
  expect((await call('POST', `/streams/${streamID}/schedule`, schedule)).status).toBe(200);
});

/** Copies an upload, and lists its copies in the draft of the playlist. */
async function insertList(uploadID: string): Promise<void> {
  const facts = 'mime_type, type, uploaded, probe_state, duration_seconds, width, height, framerate';
  const columns = `user_id, expected_bytes, ${facts}, video_codec, audio_codec, dynamic_range, content_hash`;
  await service.pool().query(
    `insert into uploads (id, name, object_key, file_tags, given_titles, tags, ${columns})
     select id || '_' || number, 'Song ' || number, object_key || number, $2, $2, $4, ${columns}
     from uploads, generate_series(1, $3) as number where id = $1`,
    [uploadID, titles, itemCount, tags],
  );
  await service.pool().query(
    `update playlists set version = version + 1, draft = jsonb_set(draft, '{items}', (
       select jsonb_agg(jsonb_build_object('id', 'itm_' || number, 'uploadID', $2 || '_' || number) order by number)
       from generate_series(1, $3::int) as number)) where id = $1`,
    [playlistID, uploadID, itemCount],
  );
}

/** The statements of some work, with the rows and the characters that they read. */
async function costOf(work: () => Promise<unknown>) {
  const query = vi.spyOn(service.pool(), 'query');
  await work();
  const texts = query.mock.calls.map(([statement]) =>
    typeof statement === 'string' ? statement : JSON.stringify(statement),
  );
  const results = await Promise.all(query.mock.results.map(async ({ value }) => (await value) as { rows: unknown[] }));
  query.mockRestore();
  const rows = results.flatMap((result) => result.rows);
  return { texts, rows: rows.length, characters: JSON.stringify(rows).length };
}

/** The number of uploads that a transaction has locked since they were written. */
const lockedUploads = async () =>
  Number((await service.pool().query(`select count(*) from uploads where xmax <> '0'::xid`)).rows[0].count);

it('a guide of a long list reads no more than it needs, and locks nothing', async () => {
  const { jsonURL } = (await call('POST', `/streams/${streamID}/guide-link`)).body;
  const before = await lockedUploads();
  const cost = await costOf(async () => {
    const answer = await service.handler()(new Request(jsonURL), '192.0.2.1');
    expect((await answer.json()).items).toHaveLength(500);
  });
  expect((await lockedUploads()) - before).toBe(0);
  expect(cost.texts.filter((text) => /^\s*select.*for (no key |key )?(update|share)/s.test(text))).toEqual([]);
  expect(cost.texts.length).toBeLessThanOrEqual(12);
  expect(cost.characters).toBeLessThan(2_000_000);
});

it.each([
  ['the readiness of a stream', () => call('GET', `/streams/${streamID}/readiness`)],
  ['a timeline to come', () => call('GET', `/streams/${streamID}/timeline`)],
  ['a timeline with drafts', () => call('GET', `/streams/${streamID}/timeline?draft=true`)],
  ['a look that is tried', () => call('POST', `/streams/${streamID}/look/preview`, { look: {}, atSeconds: 0 })],
])('%s locks nothing', async (_name, read) => {
  const before = await lockedUploads();
  const { texts } = await costOf(async () => expect((await read()).status).toBe(200));
  expect((await lockedUploads()) - before).toBe(0);
  expect(texts.filter((text) => /^\s*select.*for (no key |key )?(update|share)/s.test(text))).toEqual([]);
});

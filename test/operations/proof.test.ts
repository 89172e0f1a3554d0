// The signed statement of a day: the verifier computes the timeline's log, and detects one changed byte.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ensureSigningKey } from '../../lambda/auth/signing-keys.ts';
import type { AiredStretch } from '../../lambda/domain/playout/aired.ts';
import { noSegments, withSegment } from '../../lambda/domain/live/segment-chain.ts';
import { onAirStatement } from '../../lambda/orchestration/playout/on-air-statement.ts';
import { publishDraft } from '../../lambda/orchestration/playout/publish-draft.ts';
import { actorsOn, statsWith } from '../support/actors.ts';
import { testService } from '../support/service.ts';

const service = testService();
const { call, claim, create, data, readyStream, register, report, transaction, upload, user } = actorsOn(service);
const run = promisify(execFile);
const fps = 30;
const verifier = join(import.meta.dirname, '../../bin/verify-on-air.mjs');

let folder: string;
let jwks: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'proof-'));
  jwks = join(folder, 'jwks.json');
});
afterAll(() => rm(folder, { recursive: true }));

let streamID: string;
let playlistID: string;

beforeEach(async () => {
  await ensureSigningKey(service.pool(), service.service().sealer, new Date());
  const keys = await data().signingKeys.listed();
  const listed = keys.map(({ id, public_jwk }) => ({ ...public_jwk, kid: id, alg: 'ES256' }));
  await writeFile(jwks, JSON.stringify({ keys: listed }));
  streamID = await readyStream({ videoUploadObjectID: null, framerate: 'f_30' });
});

/** The bytes of a clip of this many seconds. */
const bytesOf = (seconds: number) => Buffer.from(`the file of ${seconds} s`);

async function clip(durationSeconds: number): Promise<string> {
  const id = await upload({ durationSeconds });
  const hash = createHash('sha256').update(bytesOf(durationSeconds)).digest('hex');
  await data().uploads.recordContentHash(id, `${hash}-video-${durationSeconds}`);
  await call('PATCH', `/uploads/${id}`, { name: `of ${durationSeconds} s, "cut"` });
  return id;
}

async function playlistOf(mode: 'sequential' | 'shuffle', ...seconds: number[]): Promise<void> {
  playlistID = await create('/playlists', { streamID, kind: 'video', mode });
  await add(...seconds);
}
async function add(...seconds: number[]): Promise<void> {
  const operations: object[] = [];
  for (const each of seconds) operations.push({ op: 'add', uploadID: await clip(each) });
  await call('POST', `/playlists/${playlistID}/operations`, { operations });
}

/** Makes the stream live since this many seconds, and stores these sent stretches, in seconds, with their stand-ins. */
async function send(secondsAgo: number, ...stretches: readonly (readonly [number, number, string?])[]): Promise<void> {
  await call('POST', `/streams/${streamID}/start`);
  await register('agent');
  const [replica] = await claim('agent');
  await data().streams.anchor(streamID);
  await report(replica!, 'live');
  const earlier = 'update streams set anchored_at = now() - make_interval(secs => $2) where id = $1';
  await service.pool().query(earlier, [streamID, secondsAgo]);
  const aired = stretches.map(([from, to, standIn = null]): AiredStretch => ({
    from: from * fps,
    to: to * fps,
    bytes: (to - from) * 1000,
    standIn,
    soundStandIn: standIn,
  }));
  await data().figures.write('agent', [{ replicaID: replica!.id, epoch: replica!.epoch, stats: statsWith({ aired }) }]);
}

const today = () => new Date().toISOString().slice(0, 'YYYY-MM-DD'.length);

/** Whether a test of this length is entirely within today. */
const isLongAfterMidnight = (seconds: number) => Date.now() % 86_400_000 > seconds * 1000;

async function verify(statement: string, ...files: Buffer[]): Promise<string[][]> {
  const path = join(folder, 'statement');
  await writeFile(path, statement);
  const paths = files.map((_, index) => join(folder, `file-${index}`));
  for (const [index, bytes] of files.entries()) await writeFile(paths[index]!, bytes);
  const { stdout } = await run(process.execPath, [verifier, path, jwks, ...paths]);
  const [, ...lines] = stdout.trimEnd().split('\n');
  return lines.map((line) => line.replace(/"of (\d+) s, ""cut"""/, '$1').split(','));
}

const proof = async () => (await call('GET', `/streams/${streamID}/proof?day=${today()}`)).body.statement as string;

/** The timeline's aired items of today, in the form of the verifier's lines without hashes. */
async function airedRows(): Promise<string[][]> {
  const { data: rows } = (await call('GET', `/streams/${streamID}/timeline?from=${today()}T00:00:00Z&limit=1000`)).body;
  return rows.flatMap(
    ({ startAt, name, aired }: { startAt: string; name: string; aired: Record<string, number>[] | null }) =>
      (aired ?? []).map((part) => [startAt, /\d+/.exec(name)![0], `${part['fromSeconds']}`, `${part['toSeconds']}`]),
  );
}
const withoutHashes = (lines: string[][]) => lines.map(([at, name, , , from, to]) => [at, name, from, to]);

it.for(['sequential', 'shuffle'] as const)(
  'is verified by the keys alone, and gives the same log: %s',
  async (mode, { skip }) => {
    skip(!isLongAfterMidnight(200), 'it has just been midnight');
    await playlistOf(mode, 2, 3, 5, 7);
    await send(150, [0, 40], [41.5, 100]);
    const lines = await verify(await proof(), bytesOf(2), bytesOf(7));
    expect(lines.length).toBeGreaterThan(20);
    expect(withoutHashes(lines)).toEqual(await airedRows());
    for (const [, seconds, hash] of lines)
      expect(hash).toBe(
        createHash('sha256')
          .update(bytesOf(Number(seconds)))
          .digest('hex'),
      );
  },
);

it.for(['sequential', 'shuffle'] as const)(
  'knows what took over while the stream was live, at the end of an item or within one: %s',
  async (mode, { skip }) => {
    skip(!isLongAfterMidnight(200), 'it has just been midnight');
    await playlistOf(mode, 2, 3, 4, 5);
    await send(150, [0, 150]);
    await add(7);
    await call('POST', `/playlists/${playlistID}/publish`);
    const { publish_request: request } = (await data().playlists.findAny(playlistID))!;
    const now = new Date(Date.now() - 110_000);
    await transaction((tx) => publishDraft(tx, playlistID, request, { now, random: () => 0.5, limitFactor: 100 }));
    const { snapshot } = (await data().timelines.ofStream(streamID)).video.at(-1)!;
    await data().timelines.append(streamID, 'video', { offsetSeconds: 101.5, playlistID, snapshot });
    const lines = await verify(await proof());
    expect(lines.length).toBeGreaterThan(30);
    expect(withoutHashes(lines)).toEqual(await airedRows());
    expect(new Set(lines.map(([, seconds]) => seconds))).toEqual(new Set(['2', '3', '4', '5', '7']));
  },
);

it('is refused with one byte changed, of the statement, of its keys or of a file', async () => {
  await playlistOf('sequential', 2);
  await send(10, [0, 1]);
  const statement = await proof();
  await verify(statement, bytesOf(2));
  const changedAt = (place: number) => {
    const other = statement[place] === 'A' ? 'B' : 'A';
    return statement.slice(0, place) + other + statement.slice(place + 1);
  };
  const [head, body, signature] = statement.split('.') as [string, string, string];
  // The last character of base64url may hold bits without meaning.
  const places = [
    head.length - 2,
    head.length + 5,
    head.length + body.length - 1,
    statement.length - signature.length + 3,
  ];
  for (const place of places) await expect(verify(changedAt(place))).rejects.toThrow(/signed/);
  for (const respelt of [`${statement}.AAAA`, `${statement}=`, `${head}.${body}.*${signature}`, `${head}.${body}`])
    await expect(verify(respelt)).rejects.toThrow(/signed/);
  const file = bytesOf(2);
  file[3]! ^= 1;
  await expect(verify(statement, file)).rejects.toThrow(/none of the files/);
  await writeFile(jwks, JSON.stringify({ keys: [] }));
  await expect(verify(statement)).rejects.toThrow(/none of these keys/);
});

it('has of what reaches beyond its time the part within it', async () => {
  await playlistOf('sequential', 2, 3);
  await send(100, [0, 100]);
  const stream = (await data().streams.find(user().id, streamID))!;
  const [first] = await data().outputs.allOfStreams([streamID]);
  const at = (seconds: number) => new Date(stream.anchored_at!.getTime() + seconds * 1000);
  const [run] = (await onAirStatement(data(), stream, at(30), at(50)))!;
  expect(run!.aired).toEqual([
    { outputID: first!.id, fromFrame: 30 * fps, toFrame: 50 * fps, bytes: 20_000, standInUploadID: null },
  ]);
});

it('names the live sessions of two takeovers, with the chains of their segments', async ({ skip }) => {
  skip(!isLongAfterMidnight(60), 'it has just been midnight');
  await playlistOf('sequential', 7);
  await create('/live-inputs', { name: 'Studio', streamID });
  const [input] = await data().liveInputs.list(user().id, streamID);
  const stored = withSegment(withSegment(noSegments, Buffer.from('first')), Buffer.from('second'));
  for (const id of ['lse_a', 'lse_b']) {
    const made = { format: 'q_720p-f_30', encoder: 'libx264 veryfast' };
    await data().liveSessions.begin({ id, liveInputID: input!.id, protocol: 'rtmp', address: '192.0.2.7', ...made }, 2);
    await data().liveSessions.end(id, 'disconnected', stored);
  }
  await send(20, [0, 3], [3, 5, 'lse_a'], [5, 6], [6, 7, 'lse_b']);
  const lines = (await verify(await proof(), bytesOf(7))).map(([, ...line]) => line);
  const file = createHash('sha256').update(bytesOf(7)).digest('hex');
  const sha256Of = (...parts: (Buffer | string)[]) => {
    const hash = createHash('sha256');
    for (const each of parts) hash.update(each);
    return hash.digest();
  };
  const chain = sha256Of(sha256Of(sha256Of('first')), sha256Of('second')).toString('hex');
  const { id: outputID } = (await data().outputs.allOfStreams([streamID]))[0]!;
  expect(lines).toEqual([
    ['7', file, outputID, '0', '3'],
    ['Studio', chain, outputID, '3', '5'],
    ['7', file, outputID, '5', '6'],
    ['Studio', chain, outputID, '6', '7'],
  ]);
  const { data: rows } = (await call('GET', `/streams/${streamID}/timeline?from=${today()}T00:00:00Z`)).body;
  const shown = rows[0].aired.map((part: Record<string, unknown>) => [part['liveSessionID'], part['standInUploadID']]);
  expect(shown).toEqual([
    [null, null],
    ['lse_a', null],
    [null, null],
    ['lse_b', null],
  ]);
});

it('is refused where a statement cannot hold the day, instead of leaving some of it out', async () => {
  await playlistOf('sequential', 2);
  await send(10, [0, 1]);
  await service.pool().query(
    `insert into aired_frames (stream_id, anchored_at, replica_id, epoch, from_frame, to_frame, bytes)
     select id, date_trunc('milliseconds', anchored_at), 'another', n, n % 200, n % 200 + 1, 1
     from streams, generate_series(1, 20000) n where id = $1`,
    [streamID],
  );
  const { status, body } = await call('GET', `/streams/${streamID}/proof?day=${today()}`);
  expect([status, body.errors?.[0].path]).toEqual([422, '/query/day']);
});

it('writes no name that a table program takes for a formula', async ({ skip }) => {
  skip(!isLongAfterMidnight(60), 'it has just been midnight');
  await playlistOf('sequential', 2);
  const { items } = (await call('GET', `/playlists/${playlistID}`)).body.draft;
  await call('PATCH', `/uploads/${items[0].uploadID}`, { name: '=1+1' });
  await send(10, [0, 1]);
  const [line] = await verify(await proof());
  expect(line![1]).toBe("'=1+1");
});

it('is no access token', async () => {
  await playlistOf('sequential', 2);
  const token = await proof();
  const request = new Request(`${service.service().baseURL}/me`, { headers: { authorization: `Bearer ${token}` } });
  expect((await service.send(request)).status).toBe(401);
  expect(user().id).not.toBe('');
});

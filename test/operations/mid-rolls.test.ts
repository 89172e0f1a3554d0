// Breaks within a film on the air: timelines, edits, skips, guides, webhooks and proofs.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { ensureSigningKey } from '../../lambda/auth/signing-keys.ts';
import { nothingMeasured } from '../../lambda/domain/media/measurements.ts';
import { planRun } from '../../lambda/orchestration/playout/plan-run.ts';
import { actorsOn, statsWith } from '../support/actors.ts';
import { pretendProbed, testService } from '../support/service.ts';
import { clearEvents, dataOfEvents } from '../support/webhook-deliveries.ts';

const service = testService();
const actors = actorsOn(service);
const { call, claim, create, data, fire, readyStream, register, report, transaction, user } = actors;
const fps = 30;
const verifier = join(import.meta.dirname, '../../bin/verify-on-air.mjs');

let streamID: string;
let programmeID: string;
let insert: { midRoll: object; perBreak: number };

async function clip(name: string, durationSeconds: number, folder: string): Promise<string> {
  const { body } = await call('POST', '/uploads', { name, mimeType: 'video/mp4', folder });
  await pretendProbed(service, body.id, { durationSeconds });
  // Each test has contents of its own, as findings belong to contents.
  const hash = createHash('sha256').update(body.id).digest('hex');
  await data().uploads.recordContentHash(body.id, `${hash}-video-${durationSeconds}`);
  return body.id;
}

const collectionOf = (folder: string) =>
  create('/collections', { name: folder, kind: 'video', source: { folder }, order: 'oldest' });

/** Films of 40 minutes, with two sponsors of 30 s after each 15 minutes. */
beforeEach(async () => {
  await clearEvents(service);
  streamID = await readyStream({ videoUploadObjectID: null, framerate: 'f_30' });
  for (const index of [0, 1, 2]) await clip(`Film ${index}`, 2400, 'Films');
  for (const index of [0, 1, 2]) await clip(`Sponsor ${index}`, 30, 'Sponsors');
  const [films, sponsors] = [await collectionOf('Films'), await collectionOf('Sponsors')];
  const midRoll = { everyMinutes: 15, keepLastMinutes: 5, blockID: null };
  const named = { id: 'sponsor', name: 'Sponsor', collectionID: sponsors };
  insert = { ...named, midRoll, perBreak: 2 };
  programmeID = await create('/programmes', { streamID, timeZone: 'UTC' });
  await publish({
    blocks: [{ id: 'films', name: 'Films', steps: [{ id: 'films', collectionID: films }] }],
    inserts: [insert],
  });
  await register('agent');
});

async function publish(changes: object): Promise<void> {
  const { status, body } = await call('PATCH', `/programmes/${programmeID}`, changes);
  expect([status, body.errors]).toEqual([200, undefined]);
  expect(await call('POST', `/programmes/${programmeID}/publish`)).toMatchObject({ status: 202 });
}

/** Lets the stream be live since this many seconds, and plans its run. @returns the anchor */
async function liveSince(secondsAgo: number): Promise<Date> {
  expect(await call('POST', `/streams/${streamID}/start`)).toMatchObject({ status: 200 });
  const [replica] = await claim('agent');
  await data().streams.anchor(streamID);
  await report(replica!, 'live');
  const earlier = '- make_interval(secs => $1)';
  await service.pool().query(`update streams set anchored_at = anchored_at ${earlier}`, [secondsAgo]);
  await service.pool().query(`update programme_states set at = at ${earlier}`, [secondsAgo]);
  await plan();
  return (await data().streams.find(user().id, streamID))!.anchored_at!;
}

const plan = (now?: Date) =>
  transaction(async (tx) => {
    const stream = (await tx.streams.lock(user().id, streamID))!;
    await planRun(tx, stream, { now: now ?? (await tx.now()), limitFactor: 1 });
  });

interface Row {
  readonly startAt: string;
  readonly endAt: string;
  readonly uploadID: string;
  readonly name: string;
  readonly fromSeconds: number;
  readonly positionSeconds: number;
}

async function rowsFrom(from: Date, count: number): Promise<Row[]> {
  const query = `from=${from.toISOString()}&limit=${count}`;
  return (await call('GET', `/streams/${streamID}/timeline?${query}`)).body.data;
}

/** Rows as their first second of the run, their name, and their seconds of the item. */
function shown(rows: readonly Row[], anchoredAt: Date): string[] {
  return rows.map(({ startAt, endAt, name, fromSeconds }) => {
    const [from, until] = [startAt, endAt].map((at) => Math.round((Date.parse(at) - anchoredAt.getTime()) / 1000));
    return `${from} ${name} ${fromSeconds}-${fromSeconds + until! - from!}`;
  });
}

const planned = [
  '0 Film 0 0-900',
  '900 Sponsor 0 0-30',
  '930 Sponsor 1 0-30',
  '960 Film 0 900-1800',
  '1860 Sponsor 2 0-30',
  '1890 Sponsor 0 0-30',
  '1920 Film 0 1800-2400',
  '2520 Film 1 0-900',
];

describe('a film with breaks', () => {
  it('is a row for each part, as simulated, and its facts are stored once', async () => {
    const anchoredAt = await liveSince(0);
    const rows = await rowsFrom(anchoredAt, 8);
    expect(shown(rows, anchoredAt)).toEqual(planned);
    const from = anchoredAt.toISOString();
    const simulated = await call('GET', `/programmes/${programmeID}/simulation?from=${from}&days=1&rows=8`);
    expect(shown(simulated.body.rows, anchoredAt)).toEqual(planned);
    const [later] = await rowsFrom(new Date(anchoredAt.getTime() + 1_000_000), 1);
    expect(later).toMatchObject({ name: 'Film 0', fromSeconds: 900, positionSeconds: 940 });
    const { rows: stored } = await service.pool().query<{ items: number; rows: number }>(
      `select jsonb_array_length(snapshot -> 'items') as items, jsonb_array_length(snapshot -> 'order') as rows
       from timeline_entries where stream_id = $1 order by rows desc limit 1`,
      [streamID],
    );
    expect(stored[0]!.items).toBe(6);
    expect(stored[0]!.rows).toBeGreaterThan(20);
  });

  it('is divided at black pictures that its inspection has found', async () => {
    const findings = [{ kind: 'black', startSeconds: 905.2, endSeconds: 908, detail: 'Black.' }] as const;
    const progress = { share: 1, findings, loudness: null, measurements: nothingMeasured, toolSeconds: 0 };
    const { inspections } = data();
    for (let next = await inspections.claim(); next; next = await inspections.claim())
      await inspections.advance(next, { ...progress, isCompleted: true });
    const anchoredAt = await liveSince(0);
    expect(shown((await rowsFrom(anchoredAt, 4)).slice(2), anchoredAt)).toEqual([
      '936 Sponsor 1 0-30',
      '966 Film 0 906-1800',
    ]);
  });

  it.each([0, 100, 880, 893, 905, 925, 945, 970, 1855, 2515])('is planned again at %d s as before', async (seconds) => {
    const anchoredAt = await liveSince(0);
    const before = await rowsFrom(anchoredAt, 40);
    await plan(new Date(anchoredAt.getTime() + seconds * 1000));
    expect(shown(await rowsFrom(anchoredAt, 40), anchoredAt)).toEqual(shown(before, anchoredAt));
  });

  it('continues behind a break that is edited within it, and without a break if that is removed before', async () => {
    const anchoredAt = await liveSince(905);
    await publish({ inserts: [{ ...insert, perBreak: 1 }] });
    await plan();
    expect(shown(await rowsFrom(anchoredAt, 6), anchoredAt)).toEqual([...planned.slice(0, 5), '1890 Film 0 1800-2400']);
    await publish({ inserts: [] });
    await plan();
    expect(shown(await rowsFrom(anchoredAt, 5), anchoredAt)).toEqual([
      ...planned.slice(0, 3),
      '960 Film 0 900-2400',
      '2460 Film 1 0-2400',
    ]);
  });

  it('has its rest dropped by a hard start, and by the end of its run', async () => {
    const anchoredAt = await liveSince(600);
    const beginsAt = new Date(Math.ceil((Date.now() + 60_000) / 60_000) * 60_000);
    const { blocks } = (await call('GET', `/programmes/${programmeID}`)).body;
    const [{ id, name, steps }] = blocks;
    const films = { id, name, steps };
    const at = beginsAt.toISOString().slice(11, 16);
    const news = { ...films, id: 'news', rule: 'FREQ=DAILY', at, minutes: 10, starts: 'hard', ends: 'cut' };
    await publish({ blocks: [films, news] });
    await plan();
    const [first, second] = await rowsFrom(anchoredAt, 2);
    expect([first!.name, second!.name, second!.fromSeconds]).toEqual(['Film 0', 'Film 0', 0]);
    expect(Math.abs(Date.parse(second!.startAt) - beginsAt.getTime())).toBeLessThan(50);
    await call('POST', `/streams/${streamID}/stop`);
    for (const replica of await data().replicas.ofStream(streamID)) await report(replica, 'ended');
    const next = await liveSince(0);
    const [row] = await rowsFrom(next, 1);
    expect(row).toMatchObject({ name: 'Film 1', fromSeconds: 0 });
  });

  it('is not continued if its upload is deleted in a break of more than a minute', async () => {
    await publish({ inserts: [{ ...insert, perBreak: 5 }] });
    const anchoredAt = await liveSince(905);
    const [film] = await rowsFrom(anchoredAt, 1);
    expect((await call('DELETE', `/uploads/${film!.uploadID}`)).status).toBe(204);
    await plan();
    const rows = await rowsFrom(anchoredAt, 8);
    expect(shown(rows.slice(5), anchoredAt).map((row) => row.replace(/^\d+ /, ''))).toEqual([
      'Sponsor 1 0-30',
      'Film 1 0-900',
      'Sponsor 2 0-30',
    ]);
  });
});

describe('a skip', () => {
  const skip = ({ startAt, uploadID }: Row) => call('POST', `/streams/${streamID}/skip`, { startAt, uploadID });

  it('of a part leaves out the rest of the film', async () => {
    const anchoredAt = await liveSince(100);
    const [film] = await rowsFrom(anchoredAt, 1);
    expect((await skip(film!)).status).toBe(202);
    await plan();
    const [, next] = await rowsFrom(anchoredAt, 2);
    expect(next).toMatchObject({ name: 'Film 1', fromSeconds: 0 });
  });

  it('of a later part leaves out that and the rest, and of an insert nothing of the film', async () => {
    const anchoredAt = await liveSince(100);
    const rows = await rowsFrom(anchoredAt, 8);
    expect((await skip(rows[1]!)).status).toBe(202);
    expect(shown(await rowsFrom(anchoredAt, 2), anchoredAt)).toEqual([planned[0], '900 Film 0 900-1800']);
    const [, part] = await rowsFrom(anchoredAt, 2);
    expect((await skip(part!)).status).toBe(202);
    expect(shown(await rowsFrom(anchoredAt, 2), anchoredAt)).toEqual([planned[0], '900 Film 1 0-900']);
  });
});

describe('for viewers and programs', () => {
  it.each([100, 905, 935, 1000, 1870, 2000])('a guide shows the film as one, at %d s', async (seconds) => {
    const anchoredAt = await liveSince(seconds);
    const { jsonURL } = (await call('POST', `/streams/${streamID}/guide-link`)).body;
    const read = async (name: string) =>
      (await service.handler()(new Request(jsonURL.replace(/\.json$/, name)), '127.0.0.1')).json();
    const times = (item: { title: string; startAt: string; endAt: string }) =>
      [item.startAt, item.endAt].map((at) => Math.round((Date.parse(at) - anchoredAt.getTime()) / 1000));
    const { now, next } = await read('/now.json');
    expect([now.title, ...times(now)]).toEqual(['Film 0', 0, 2520]);
    expect([next.title, ...times(next)]).toEqual(['Film 1', 2520, 5040]);
    const { items } = await read('.json');
    expect(items.slice(0, 3).map(({ title }: { title: string }) => title)).toEqual(['Film 0', 'Film 1', 'Film 2']);
  });

  it('a webhook is told of its beginning once', async () => {
    await create('/webhooks', { url: 'https://hooks.example.org/', events: ['item.started'] });
    await liveSince(0);
    await fire();
    const earlier = '- make_interval(secs => $1)';
    for (let passed = 0; passed < 2600; passed += 500) {
      await service.pool().query(`update streams set anchored_at = anchored_at ${earlier}`, [500]);
      await service.pool().query(`update due_times set due_at = due_at ${earlier} where kind = 'item_start'`, [500]);
      await fire();
    }
    const told = (await dataOfEvents(service, 'item.started')).map(({ name }) => name);
    expect(told).toEqual(['Film 0', 'Sponsor 0', 'Sponsor 1', 'Sponsor 2', 'Sponsor 0', 'Film 1']);
  });

  it('a signed statement names the second of the file at which each part begins', async ({ skip }) => {
    if (Date.now() % 86_400_000 < 2_000_000) skip('too near midnight');
    await ensureSigningKey(service.pool(), service.service().sealer, new Date());
    const anchoredAt = await liveSince(1900);
    const [replica] = await data().replicas.ofStream(streamID);
    const aired = [{ from: 10 * fps, to: 1890 * fps, bytes: 5000, standIn: null, soundStandIn: null }];
    const stats = statsWith({ aired });
    await data().figures.write('agent', [{ replicaID: replica!.id, epoch: replica!.epoch, stats }]);
    const day = new Date().toISOString().slice(0, 10);
    const { statement } = (await call('GET', `/streams/${streamID}/proof?day=${day}`)).body;
    const stated = JSON.parse(Buffer.from(statement.split('.')[1], 'base64url').toString());
    const parts = stated.runs[0].items.filter(({ name }: { name: string }) => name === 'Film 0');
    expect(parts.map(({ fromSeconds = 0, frames }: Record<string, number>) => [fromSeconds, frames! / fps])).toEqual([
      [0, 900],
      [900, 900],
      [1800, 600],
    ]);
    const lines = await verifiedLines(statement);
    const rows = (await call('GET', `/streams/${streamID}/timeline?from=${day}T00:00:00Z&limit=100`)).body.data;
    const own = rows.flatMap(({ startAt, name, aired: sent }: Row & { aired: Record<string, number>[] | null }) =>
      (sent ?? []).map((part) => [startAt, name, part['fromSeconds'], part['toSeconds']].join()),
    );
    expect(own).toHaveLength(5);
    expect(lines.map(([startAt, name, , , from, to]) => [startAt, name, from, to].join())).toEqual(own);
    expect(Date.parse(rows[3].startAt)).toBe(anchoredAt.getTime() + 960_000);
  });
});

/** The lines of the verifier, without their head. */
async function verifiedLines(statement: string): Promise<string[][]> {
  const folder = await mkdtemp(join(tmpdir(), 'mid-rolls-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [path, jwks] = [join(folder, 'statement'), join(folder, 'jwks.json')];
  const keys = await data().signingKeys.listed();
  await writeFile(jwks, JSON.stringify({ keys: keys.map(({ id, public_jwk }) => ({ ...public_jwk, kid: id })) }));
  await writeFile(path, statement);
  const { stdout } = await promisify(execFile)(process.execPath, [verifier, path, jwks]);
  const [, ...lines] = stdout.trimEnd().split('\n');
  return lines.map((line) => line.split(','));
}

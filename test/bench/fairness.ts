// Whether one user's backlog keeps another waiting: how long the other's work waits beside it, against alone.
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { databaseOn } from '../../lambda/data/database.ts';
import { fireDue } from '../../lambda/orchestration/fire-due.ts';
import { newID } from '../../lambda/data/new-id.ts';
import { createPostgresCommandQueue } from '../../lambda/ports/command-queue/postgres-command-queue.ts';
import type { QueueHandler } from '../../lambda/ports/command-queue/command-queue.ts';
import { createNameResolver } from '../../lambda/ports/outbound/name-resolver.ts';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import { attemptSeconds } from '../../lambda/domain/webhook-retries.ts';
import { webhookSecretPlace } from '../../lambda/domain/sealed-places.ts';
import { webhookSecret } from '../../lambda/domain/webhook-secret.ts';
import { sendersOfUser } from '../../lambda/webhooks/deliver.ts';
import { createWebhooksHandler } from '../../lambda/webhooks/webhooks.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { withDatabase } from './database.ts';

const samples = Number(process.env['FAIRNESS_SAMPLES'] ?? 30);
const backlog = { commands: 10_000, schedules: 10_000, imports: 1000, webhooks: 20, events: 50 } as const;
/** What a worker takes for one command or import here. It waits, so that the waiting for turns is what is measured. */
const workMs = 20;
/** How often what is due is looked for, as by several agents. */
const lookEveryMs = 200;
const settings = { allowPrivateAddresses: true, legacyRtmpURL: null, limitFactor: 10_000 };
const sealer = createSealer([{ id: 1, key: Buffer.alloc(32, 'a data key of benches') }]);

export function fairnessBench(): Promise<void> {
  return withDatabase(30, measure);
}

/** One kind of work: hands in a piece of the second user's, and resolves when it has been begun. */
type Piece = (number: number) => Promise<void>;

async function measure(pool: Pool): Promise<void> {
  for (const user of ['usr_many', 'usr_one']) await addUser(pool, user);
  await using receiver = await startReceiver();
  const silent = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const begun = new Begun();
  const ending = new AbortController();
  const working = work(pool, begun, ending.signal);
  await addWebhook(pool, 'usr_one', 'whk_one', receiver.url);
  receiver.answer = (response, { body }) => {
    begun.note((JSON.parse(body) as { data: { streamID: string } }).data.streamID);
    response.writeHead(204).end();
  };
  const pieces: Readonly<Record<string, Piece>> = {
    'media command': (number) => commandPiece(pool, begun, number),
    'scheduled start': (number) => schedulePiece(pool, number),
    import: (number) => importPiece(pool, begun, number),
    'webhook event': (number) => eventPiece(pool, begun, number),
  };
  const alone = await sampleAll(pieces, 0);
  await addBacklog(pool, `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`);
  const beside = await sampleAll(pieces, samples);
  console.log(`${samples} pieces of each kind, alone and beside one user with ${JSON.stringify(backlog)}:`);
  console.table(
    Object.fromEntries(
      Object.keys(pieces).map((kind) => {
        const [before, after] = [p99(alone[kind]!), p99(beside[kind]!)];
        return [kind, { 'alone p99 ms': before, 'beside p99 ms': after, ratio: Number((after / before).toFixed(2)) }];
      }),
    ),
  );
  const left = await pool.query(
    `select (select count(*) from outbox where user_id = 'usr_many' and queue = 'media') as commands,
       (select count(*) from due_times where kind = 'schedule_start') as schedules,
       (select count(*) from imports where user_id = 'usr_many' and state = 'pending') as imports,
       (select count(*) from webhook_deliveries where state = 'pending') as deliveries`,
  );
  console.log('Of the backlog there was left at the end:', left.rows[0]);
  ending.abort();
  silent.close();
  await working;
}

/** Who waits for which piece of work to begin. */
class Begun {
  readonly #waiting = new Map<string, () => void>();

  note(id: string): void {
    this.#waiting.get(id)?.();
  }

  of(id: string): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(id, resolve));
  }
}

/** Everything that hands out work, with as many consumers as one machine has. */
async function work(pool: Pool, begun: Begun, signal: AbortSignal): Promise<void> {
  const queue = createPostgresCommandQueue({ pool, log: () => {} });
  const handleMedia: QueueHandler = async ({ Records }) => {
    for (const { body } of Records) begun.note((JSON.parse(body) as { uploadID: string }).uploadID);
    await delay(workMs);
    return { batchItemFailures: [] };
  };
  const handleWebhooks = createWebhooksHandler({
    pool,
    sealer,
    attempts: { allowPrivateAddresses: true, resolve: createNameResolver(), timeoutMs: attemptSeconds * 1000 },
    mailer: { send: async () => {} },
    siteURL: 'https://example.org',
    clock: () => new Date(),
    steadyClock: () => performance.now(),
    random: Math.random,
    log: () => {},
    signal,
  });
  const until = async (step: () => Promise<unknown>) => {
    while (!signal.aborted) await step();
  };
  const importing = async () => {
    const { imports } = databaseOn(pool);
    const claim = await imports.claim(60, 600);
    if (!claim) return delay(workMs);
    begun.note(claim.upload_id);
    await delay(workMs);
    return imports.end({ uploadID: claim.upload_id, epoch: claim.epoch }, { bytesReceived: 1, failure: null });
  };
  const firing = async () => {
    const startOptions = { settings, newID: (prefix: string) => newID(prefix, new Date()), random: Math.random };
    await Promise.race([fireDue(pool, startOptions, () => new Date()), once(signal, 'abort')]);
    await delay(lookEveryMs);
  };
  await Promise.all([
    queue.consume('media', handleMedia, { signal, batchSize: 1 }),
    ...Array.from({ length: sendersOfUser + 2 }, () => queue.consume('webhooks', handleWebhooks, { signal })),
    ...Array.from({ length: 4 }, () => until(importing)),
    until(firing),
  ]);
}

async function sampleAll(pieces: Readonly<Record<string, Piece>>, first: number): Promise<Record<string, number[]>> {
  const kinds = Object.entries(pieces).map(async ([kind, piece]) => {
    const taken: number[] = [];
    for (let number = first; number < first + samples; number++) {
      const beganMs = performance.now();
      await piece(number);
      taken.push(performance.now() - beganMs);
      await delay(50);
    }
    return [kind, taken] as const;
  });
  return Object.fromEntries(await Promise.all(kinds));
}

function p99(taken: readonly number[]): number {
  return Math.round(taken.toSorted((a, b) => a - b)[Math.ceil(taken.length * 0.99) - 1]!);
}

async function commandPiece(pool: Pool, begun: Begun, number: number): Promise<void> {
  const uploadID = `one_${number}`;
  await addUploads(pool, 'usr_one', uploadID, 1);
  const beginning = begun.of(`${uploadID}_1`);
  await databaseOn(pool).outbox.send({ queue: 'media', body: { task: 'probe_upload', uploadID: `${uploadID}_1` } });
  await beginning;
}

async function schedulePiece(pool: Pool, number: number): Promise<void> {
  const streamID = `str_one_${number}`;
  await addScheduled(pool, 'usr_one', streamID, 1);
  while (!(await isStarted(pool, `${streamID}_1`))) await delay(5);
}

async function isStarted(pool: Pool, id: string): Promise<boolean> {
  const { rowCount } = await pool.query(`select from streams where id = $1 and state <> 'scheduled'`, [id]);
  return rowCount === 1;
}

async function importPiece(pool: Pool, begun: Begun, number: number): Promise<void> {
  const beginning = begun.of(`imp_one_${number}_1`);
  await addImports(pool, 'usr_one', `imp_one_${number}`, 1);
  await beginning;
}

async function eventPiece(pool: Pool, begun: Begun, number: number): Promise<void> {
  const beginning = begun.of(`event_${number}`);
  await recordEvent(pool, 'usr_one', `event_${number}`);
  await beginning;
}

async function addBacklog(pool: Pool, silentURL: string): Promise<void> {
  for (let number = 0; number < backlog.webhooks; number++)
    await addWebhook(pool, 'usr_many', `whk_many_${number}`, silentURL);
  for (let number = 0; number < backlog.events; number++) await recordEvent(pool, 'usr_many', `many_${number}`);
  await addUploads(pool, 'usr_many', 'many', backlog.commands);
  await pool.query(
    `insert into outbox (queue, body)
     select 'media', jsonb_build_object('task', 'probe_upload', 'uploadID', 'many_' || n)
     from generate_series(1, $1::int) n`,
    [backlog.commands],
  );
  await addScheduled(pool, 'usr_many', 'str_many', backlog.schedules);
  await addImports(pool, 'usr_many', 'imp_many', backlog.imports);
  await pool.query('analyze');
}

async function addUser(pool: Pool, userID: string): Promise<void> {
  const data = databaseOn(pool);
  await data.users.ensureUser({ id: userID, email: `${userID}@example.com`, name: userID });
  const credits = { id: `inv_${userID}`, userID, type: 'adjustment', method: 'grant', cost: 0, credits: 1e6 } as const;
  await data.invoices.ensurePaid(credits);
  await addUploads(pool, userID, `clip_${userID}`, 1);
  await pool.query(
    `update uploads set uploaded = true, size_bytes = 1, probe_state = 'completed', video_codec = 'h264',
       audio_codec = 'aac', duration_seconds = 10 where id = $1`,
    [`clip_${userID}_1`],
  );
  await pool.query(
    `insert into destinations (id, user_id, name, rtmp_url, sealed_stream_key)
     values ($1, $2, 'x', 'rtmp://127.0.0.1/live', '')`,
    [`dst_${userID}`, userID],
  );
}

function addUploads(pool: Pool, userID: string, prefix: string, count: number) {
  return pool.query(
    `insert into uploads (id, user_id, name, mime_type, type, object_key)
     select $2 || '_' || n, $1, 'x', 'video/mp4', 'video', $2 || '/' || n from generate_series(1, $3::int) n`,
    [userID, prefix, count],
  );
}

async function addImports(pool: Pool, userID: string, prefix: string, count: number): Promise<void> {
  await addUploads(pool, userID, prefix, count);
  await pool.query(
    `insert into imports (upload_id, user_id, url, named)
     select $2 || '_' || n, $1, 'https://example.com/', true from generate_series(1, $3::int) n`,
    [userID, prefix, count],
  );
}

/** Streams that are ready and have to start now. */
async function addScheduled(pool: Pool, userID: string, prefix: string, count: number): Promise<void> {
  await pool.query(
    `with made as (
       insert into streams (id, user_id, state, video_upload_id, destination_id, schedule_start_at)
       select $2 || '_' || n, $1, 'scheduled', 'clip_' || $1 || '_1', 'dst_' || $1, now()
       from generate_series(1, $3::int) n returning id)
     insert into due_times (stream_id, kind, due_at) select id, 'schedule_start', now() from made`,
    [userID, prefix, count],
  );
}

async function addWebhook(pool: Pool, userID: string, id: string, url: string): Promise<void> {
  const sealedSecret = sealer.seal(webhookSecret(Buffer.alloc(32)), webhookSecretPlace(id));
  await databaseOn(pool).webhooks.insert({
    id,
    userID,
    clientID: null,
    url,
    events: ['stream.state_changed'],
    sealedSecret,
  });
}

function recordEvent(pool: Pool, userID: string, subject: string) {
  return pool.query(`select record_event($1, 'stream.state_changed', $2, json_build_object('streamID', $2::text))`, [
    userID,
    subject,
  ]);
}

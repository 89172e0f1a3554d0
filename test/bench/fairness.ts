// Whether one user's backlog delays another user: durations of the other's work beside it, against alone.
// All of the work goes through a real `npm start`. `FAIRNESS_SAMPLES=100` takes more samples of each kind.
import { EventEmitter, once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { createPool } from '../../lambda/data/shared/queryable.ts';
import { sendFile, startSource } from '../imports/source-server.ts';
import type { SourceServer } from '../imports/source-server.ts';
import { startLocalRun, temporaryDataFolder, uploadFile } from '../support/local-run.ts';
import type { LocalRun } from '../support/local-run.ts';
import { mediaSample } from '../support/media-samples.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { backlog, backlogLeft, startBacklog } from './fairness-backlog.ts';

const samples = Number(process.env['FAIRNESS_SAMPLES'] ?? 30);
/** Longest pause after all samples of a round are done. */
const betweenMs = 500;
const mostMs = 120_000;
/** Evenly distributed times in a span: agents look once a second, and a fixed time would always be just before. */
const anyTimeOf = (spanMs: number, number: number) => (number * 0.618 * spanMs) % spanMs;
const scheduledAheadMs = (number: number) => 500 + anyTimeOf(1000, number);
/** Samples of each kind that are not measured: the first start prepares the media, and code is compiled. */
const warmUps = 4;
/** Time from the start of sampling to the start of the backlog's schedules, so that samples include their rush. */
const beforeRushMs = 2000;
const examined = `select from uploads where id = $1 and probe_state = 'completed'`;
const userID = 'usr_local';
const media = { quality: 'q_720p', framerate: 'f_30', streamBackend: 'manifest' } as const;

/** The resources of the second user, and the events that show their progress. */
interface Second {
  readonly run: LocalRun;
  readonly pool: Pool;
  readonly sample: string;
  readonly clipID: string;
  readonly source: SourceServer;
  /** Emits the name of each finished job: the id of a row, a fetched path, or a subject. */
  readonly seen: EventEmitter;
}

/** Milliseconds by the awaited event. */
type Taken = Readonly<Record<string, number>>;
/** One kind of work: submits one job of the second user, and resolves when it is done. */
type Piece = (second: Second, number: number) => Promise<Taken>;

const pieces: readonly Piece[] = [mediaPiece, schedulePiece, importPiece, eventPiece];

export async function fairnessBench(): Promise<void> {
  const folder = await temporaryDataFolder();
  const dataFolder = join(folder.path, 'data');
  const run = await startLocalRun(dataFolder, '--no-demo');
  const pool = createPool({ connectionString: run.connection.databaseURL, max: 8 });
  const sample = await mediaSample('44100.mp4');
  const bytes = await readFile(sample);
  const seen = new EventEmitter().setMaxListeners(0);
  await using receiver = await startReceiver();
  receiver.answer = (response, { body }) => {
    seen.emit((JSON.parse(body) as { data: { streamID?: string } }).data.streamID ?? '');
    response.writeHead(204).end();
  };
  await using source = await startSource((request, response) => {
    seen.emit(request.url ?? '');
    sendFile(bytes, request, response);
  });
  try {
    await run.api('POST', '/webhooks', { url: receiver.url, events: ['stream.state_changed'] });
    const clipID = await uploadFile(run.api, await mediaSample('plain.mp4'), 'video/mp4');
    using _listening = await listenToChanges(pool, seen);
    const second = { run, pool, sample, clipID, source, seen };
    // The first jobs run one by one: starts without prepared media would all wait for one preparation.
    for (const piece of pieces) await piece(second, 0);
    await sampleAll(second, 1, warmUps);
    const alone = await sampleAll(second, 1000, samples);
    await using many = await startBacklog({ run, pool, dataFolder, sample, clipID });
    await sampleAll(second, 50_000, warmUps);
    await delay(Math.max(0, many.schedulesDueMs - beforeRushMs - Date.now()));
    const before = await backlogLeft(pool);
    const beside = await sampleAll(second, 60_000, samples);
    print(alone, beside);
    console.log('Of the backlog there was left at first and at the end:');
    console.table({ first: before, end: await backlogLeft(pool) });
  } finally {
    await pool.end();
    await run.interrupt();
    await folder.remove();
  }
}

async function mediaPiece(second: Second): Promise<Taken> {
  const { run, sample } = second;
  const { api } = run;
  const bytes = await readFile(sample);
  const { id } = await api('POST', '/uploads', { name: 'a.mp4', mimeType: 'video/mp4', fileSize: bytes.length });
  const { url, headers } = await api('POST', `/uploads/${id}/upload-url`);
  await fetch(url, { method: 'PUT', headers, body: bytes });
  const beganMs = performance.now();
  await api('POST', `/uploads/${id}/complete`);
  await untilRow(second, examined, id);
  return { 'media command: file examined': performance.now() - beganMs };
}

async function schedulePiece(second: Second, number: number): Promise<Taken> {
  const { run, clipID } = second;
  const { api, connection } = run;
  const target = { name: 'ingest', rtmpURL: connection.rtmpURL, streamKey: `one${number}` };
  const { id: destinationID } = await api('POST', '/destinations', target);
  const { id } = await api('POST', '/streams', { ...media, videoUploadObjectID: clipID, destinationID });
  const dueMs = Date.now() + scheduledAheadMs(number);
  await api('POST', `/streams/${id}/schedule`, { scheduleStartAt: new Date(dueMs).toISOString() });
  await untilRow(second, `select from streams where id = $1 and state <> 'scheduled'`, id);
  const startedMs = Date.now();
  await untilRow(second, `select from streams where id = $1 and state = 'active'`, id);
  const activeMs = Date.now();
  await api('POST', `/streams/${id}/stop`);
  return { 'schedule: started': startedMs - dueMs, 'destination: on air after the start': activeMs - startedMs };
}

async function importPiece(second: Second, number: number): Promise<Taken> {
  const { run, source, seen } = second;
  const { api } = run;
  const path = `/one/${number}`;
  const beginning = once(seen, path);
  const beganMs = performance.now();
  const { id } = await api('POST', '/uploads/import', { url: source.url(path) });
  await beginning;
  const begunMs = performance.now();
  await untilRow(second, `select from imports where upload_id = $1 and state = 'completed'`, id);
  const fetchedMs = performance.now();
  // The import's inspected upload must not pile up: the user would wait for their own work.
  await untilRow(second, examined, id);
  return { 'import: begun': begunMs - beganMs, 'import: fetched': fetchedMs - beganMs };
}

async function eventPiece({ pool, seen }: Second, number: number): Promise<Taken> {
  const subject = `event_${number}`;
  const beginning = once(seen, subject);
  const beganMs = performance.now();
  await pool.query(`select record_event($1, 'stream.state_changed', $2, json_build_object('streamID', $2::text))`, [
    userID,
    subject,
  ]);
  await beginning;
  return { 'webhook: event received': performance.now() - beganMs };
}

/** Resolves when a row meets the condition of the statement. It queries again whenever the row has changed. */
async function untilRow({ pool, seen }: Second, sql: string, id: string): Promise<void> {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(new Error(`not so after ${mostMs} ms: ${sql} (${id})`)), mostMs);
  try {
    for (;;) {
      const change = once(seen, id, { signal: ending.signal });
      // If the row already meets the condition, the change is not awaited.
      change.catch(() => {});
      if ((await pool.query(sql, [id])).rowCount! > 0) return;
      await change;
    }
  } finally {
    clearTimeout(timer);
    ending.abort();
  }
}

/**
 * Emits the id of each upload, import and stream that changes. Constant polling of Postgres took a tenth of the
 * processors: the bench would measure itself.
 */
async function listenToChanges(pool: Pool, seen: EventEmitter): Promise<Disposable> {
  await pool.query(`create function tell_bench() returns trigger language plpgsql as $$ begin
    perform pg_notify('bench', to_jsonb(new) ->> tg_argv[0]); return null; end $$`);
  for (const [table, id, column] of [
    ['uploads', 'id', 'probe_state'],
    ['imports', 'upload_id', 'state'],
    ['streams', 'id', 'state'],
  ] as const)
    await pool.query(`create trigger tell_bench after update of ${column} on ${table}
      for each row when (old.${column} is distinct from new.${column}) execute function tell_bench('${id}')`);
  const client = await pool.connect();
  client.on('notification', ({ payload }) => seen.emit(payload!));
  await client.query('listen bench');
  return { [Symbol.dispose]: () => client.release(true) };
}

/** Runs one job of each kind at once, repeatedly: the next round starts some time after all are done. */
async function sampleAll(second: Second, first: number, count: number): Promise<Map<string, number[]>> {
  const all = new Map<string, number[]>();
  for (let number = first; number < first + count; number++) {
    for (const taken of await Promise.all(pieces.map((piece) => piece(second, number))))
      for (const [what, ms] of Object.entries(taken)) all.set(what, [...(all.get(what) ?? []), ms]);
    await delay(anyTimeOf(betweenMs, number));
  }
  return all;
}

function print(alone: ReadonlyMap<string, readonly number[]>, beside: ReadonlyMap<string, readonly number[]>): void {
  console.log(`${samples} pieces of each kind, alone and beside one user with ${JSON.stringify(backlog)}:`);
  console.table(
    Object.fromEntries(
      [...alone.keys()].toSorted().map((what) => {
        const [before, after] = [alone.get(what)!, beside.get(what)!];
        const ratio = Number((at(after, 0.99) / at(before, 0.99)).toFixed(2));
        const columns = {
          'alone p50 ms': at(before, 0.5),
          'alone p99 ms': at(before, 0.99),
          'beside p50 ms': at(after, 0.5),
          'beside p99 ms': at(after, 0.99),
          'ratio of p99': ratio,
        };
        return [what, columns];
      }),
    ),
  );
}

function at(taken: readonly number[], share: number): number {
  return Math.round(taken.toSorted((a, b) => a - b)[Math.ceil(taken.length * share) - 1]!);
}

// The worst behaviour of one user in the bench of fairness: thousands of jobs, and hostile destinations.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { DataFolder } from '../../bin/local/data-folder.ts';
import { databaseOn } from '../../lambda/data/database.ts';
import { createFileObjectStore } from '../../lambda/ports/object-store/file-object-store.ts';
import { apiKeyPrefix, hashApiKey } from '../../lambda/surfaces/admission/authenticate.ts';
import { startSource } from '../imports/source-server.ts';
import { hostileKinds } from '../soak/hostile-destination.ts';
import { apiClient, until } from '../support/local-run.ts';
import type { LocalRun } from '../support/local-run.ts';

export const backlog = {
  commands: 10_000,
  schedules: 10_000,
  imports: 1000,
  hostileDestinations: 45,
  silentWebhooks: 20,
  events: 50,
} as const;

const userID = 'usr_many';
const apiKey = `${apiKeyPrefix}many`;
const hostileBytesPerSecond = 20e6;
/** Number of real files behind the commands: more than a bench inspects. */
const files = 1000;
/** Duration of each import of the backlog. */
const importMs = 2000;
/** Time from the creation of the schedules until they are due. By then the load of writing all rows has ended. */
const rushAfterMs = 40_000;

export interface BacklogOptions {
  readonly run: LocalRun;
  readonly pool: Pool;
  readonly dataFolder: string;
  /** A small file that can be inspected. */
  readonly sample: string;
  /** An upload of another user, whose prepared media all copies share. */
  readonly clipID: string;
}

export interface RunningBacklog extends AsyncDisposable {
  /** The time at which all schedules are due, by the clock of this process. */
  readonly schedulesDueMs: number;
}

/** Creates the user with all their work. Resolves when all of it waits or runs; disposal ends its servers. */
export async function startBacklog(options: BacklogOptions): Promise<RunningBacklog> {
  const { run, pool, dataFolder, sample } = options;
  const servers = new AsyncDisposableStack();
  const { users, invoices } = databaseOn(pool);
  await users.ensureUser({ id: userID, email: 'many@example.com', name: 'many' });
  await users.ensureKey({ id: 'key_many', userID, name: 'x', keySha256: hashApiKey(apiKey), keyStart: 'lss_many' });
  const credits = { id: 'inv_many', userID, type: 'adjustment', method: 'grant', cost: 0, credits: 1e6 } as const;
  await invoices.ensurePaid(credits);
  const api = apiClient({ ...run.connection, apiKey });
  await copyClip(options);

  const silent = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  servers.defer(() => void silent.close());
  const silentURL = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  for (let number = 0; number < backlog.silentWebhooks; number++)
    await api('POST', '/webhooks', { url: `${silentURL}/${number}`, events: ['stream.state_changed'] });
  await pool.query(
    `select record_event($1, 'stream.state_changed', 'many_' || n, json_build_object('streamID', 'many_' || n))
     from generate_series(1, $2::int) n`,
    [userID, backlog.events],
  );

  const hostile = fork(join(import.meta.dirname, '../soak/hostile-destination-process.ts'));
  servers.defer(() => hostile.disconnect());
  hostile.send({ bytesPerSecond: hostileBytesPerSecond / backlog.hostileDestinations });
  const [{ rtmpURL }] = (await once(hostile, 'message')) as [{ rtmpURL: string }];
  await startHostileStreams(api, pool, rtmpURL);

  const bytes = await readFile(sample);
  const slow = await startSource(async (_, response) => {
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': bytes.length });
    response.write(bytes.subarray(0, 1000));
    await delay(importMs);
    response.end(bytes.subarray(1000));
  });
  servers.use(slow);
  await addImports(pool, slow.url('/file'));
  await writeFiles(dataFolder, bytes);
  await addCommands(pool, bytes.length);
  const schedulesDueMs = Date.now() + rushAfterMs;
  await addSchedules(pool, new Date(schedulesDueMs));
  await pool.query('analyze');
  return { schedulesDueMs, [Symbol.asyncDispose]: () => servers.disposeAsync() };
}

/** The remaining work of the backlog. */
export async function backlogLeft(pool: Pool): Promise<Record<string, number>> {
  const { rows } = await pool.query<Record<string, number>>(
    `select
       (select count(*) from outbox where user_id = $1 and queue = 'media') as commands,
       (select count(*) from due_times d join streams s on s.id = d.stream_id
        where s.user_id = $1 and d.kind = 'schedule_start') as schedules,
       (select count(*) from imports where user_id = $1 and state in ('pending', 'downloading')) as imports,
       (select count(*) from streams where user_id = $1 and stream_backend = 'manifest' and status = 'ACTIVE')
         as "hostileStreams",
       (select count(*) from webhook_deliveries d join webhooks w on w.id = d.webhook_id
        where w.user_id = $1 and d.state = 'pending') as deliveries`,
    [userID],
  );
  return rows[0]!;
}

/** An upload of the user with the same content, so that its prepared media exists. */
function copyClip({ pool, clipID }: BacklogOptions) {
  return pool.query(
    `insert into uploads (id, user_id, name, mime_type, type, object_key, uploaded, size_bytes, probe_state,
       video_codec, audio_codec, duration_seconds, width, height, framerate, dynamic_range, decode_cost, content_hash)
     select 'clip_many', $1, name, mime_type, type, 'many/clip', uploaded, size_bytes, probe_state, video_codec,
       audio_codec, duration_seconds, width, height, framerate, dynamic_range, decode_cost, content_hash
     from uploads where id = $2`,
    [userID, clipID],
  );
}

async function startHostileStreams(api: ReturnType<typeof apiClient>, pool: Pool, rtmpURL: string): Promise<void> {
  for (let number = 0; number < backlog.hostileDestinations; number++) {
    const kind = hostileKinds[number % hostileKinds.length]!;
    const target = { name: kind, rtmpURL: `${rtmpURL}/${kind}`, streamKey: `hostile${number}` };
    const { id: destinationID } = await api('POST', '/destinations', target);
    const media = { videoUploadObjectID: 'clip_many', quality: 'q_720p', framerate: 'f_30', streamBackend: 'manifest' };
    const { id } = await api('POST', '/streams', { ...media, destinationID });
    await api('POST', `/streams/${id}/start`);
  }
  await until(async () => {
    const held = `select from replicas r join streams s on s.id = r.stream_id
      where s.user_id = $1 and r.agent_id is not null`;
    return (await pool.query(held, [userID])).rowCount === backlog.hostileDestinations;
  });
}

async function addImports(pool: Pool, url: string): Promise<void> {
  await pool.query(
    `with made as (
       insert into uploads (id, user_id, name, mime_type, type, object_key)
       select 'imp_many_' || n, $1, 'x', 'video/mp4', 'video', 'many/imports/' || n
       from generate_series(1, $3::int) n returning id),
     asked as (
       insert into imports (upload_id, user_id, url, named) select id, $1, $2, true from made returning upload_id)
     insert into outbox (queue, body, user_id)
     select 'imports', jsonb_build_object('uploadID', upload_id), $1 from asked`,
    [userID, url, backlog.imports],
  );
}

/** Ready streams that must start at one time. They are too large for this machine, and wait for another. */
async function addSchedules(pool: Pool, dueAt: Date): Promise<void> {
  await pool.query(
    `insert into destinations (id, user_id, name, url, sealed_stream_key)
     select 'dst_many_' || n, $1, 'x', 'rtmp://127.0.0.1/live', '' from generate_series(1, $2::int) n`,
    [userID, backlog.schedules],
  );
  await pool.query(
    `with made as (
       insert into streams (id, user_id, state, video_upload_id, destination_id, schedule_start_at, stream_backend,
         quality, framerate)
       select 'str_many_' || n, $1, 'scheduled', 'clip_many', 'dst_many_' || n, $3, 'ffmpeg', 'q_2160p', 'f_60'
       from generate_series(1, $2::int) n returning id)
     insert into due_times (stream_id, kind, due_at) select id, 'schedule_start', $3 from made`,
    [userID, backlog.schedules, dueAt],
  );
}

async function writeFiles(dataFolder: string, bytes: Buffer): Promise<void> {
  const folder = DataFolder.at(dataFolder).objects;
  const objects = createFileObjectStore({ folder, baseURL: 'http://127.0.0.1', signingKey: 'none' });
  for (let number = 1; number <= files; number++)
    await objects.write(`many/files/${number}`, bytes, { contentType: 'video/mp4' });
}

async function addCommands(pool: Pool, sizeBytes: number): Promise<void> {
  await pool.query(
    `insert into uploads (id, user_id, name, mime_type, type, object_key, uploaded, size_bytes)
     select 'many_' || n, $1, 'x', 'video/mp4', 'video', 'many/files/' || n, true, $3
     from generate_series(1, $2::int) n`,
    [userID, backlog.commands, sizeBytes],
  );
  await pool.query(
    `insert into outbox (queue, body)
     select 'media', jsonb_build_object('task', 'probe_upload', 'uploadID', 'many_' || n)
     from generate_series(1, $1::int) n`,
    [backlog.commands],
  );
}

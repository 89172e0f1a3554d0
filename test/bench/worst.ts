// The space in Postgres that one user without credits can fill, at the permitted rate, in the two worst ways.
// The result is compared with the bound that the table of limits gives.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { connectLocally } from '../../bin/local/connections.ts';
import { localSettings } from '../../lambda/settings.ts';
import { createRestService } from '../../lambda/api/create-rest-service.ts';
import { databaseOn } from '../../lambda/data/database.ts';
import { all } from '../../lambda/data/shared/queryable.ts';
import { bounds } from '../../lambda/domain/shared/bounds.ts';
import { limits } from '../../lambda/domain/shared/limits.ts';
import { sweep } from '../../lambda/jobs/sweep.ts';
import { requestsPerMinute } from '../../lambda/surfaces/admission/rate-limits.ts';
import { hashApiKey } from '../../lambda/surfaces/admission/authenticate.ts';
import { createRestHandler } from '../../lambda/surfaces/rest/rest-handler.ts';
import { startThrowawayPostgres } from '../../bin/local/postgres/postgres.ts';
import { migrate } from '../../lambda/migrate/migrate.ts';
import { createPool } from '../../lambda/data/shared/queryable.ts';
import { startOptions, storage } from '../support/actors.ts';

const minutes = Number(process.env['WORST_MINUTES'] ?? 2);
const apiKey = 'lss_bench_key_of_the_worst_user';
const longID = (prefix: string, number: number) => `${prefix}_${number}_`.padEnd(200, 'x');

/** Bytes of the largest row of each kind, with its indexes and Postgres' overhead; generous measurements. */
const rowBytes = {
  uploads: 2048,
  playlists: 1024,
  // An item is stored in the draft, in the live version, in the version being published and in a run's timeline.
  playlistItems: 4 * 512,
  streams: 4096,
  destinations: 8192,
  webhooks: 8192,
  delivery: 2048,
  pendingTopUps: 1024,
  keptAnswers: 1024,
  transitions: 256,
  // The shortest media counts as a second, in each format: one row of prepared seconds, and one of its rendition.
  preparedSeconds: 512,
} as const;

export async function worstBench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'worst-'));
  const postgres = await startThrowawayPostgres();
  const masterKeyFile = join(folder, 'master.key');
  await writeFile(masterKeyFile, Buffer.alloc(32));
  const pool = createPool({ connectionString: postgres.url, max: 4 });
  await migrate(pool);
  const options = { databaseURL: postgres.url, serviceSecret: 'bench', masterKeyFile, objectsFolder: folder };
  const connections = await connectLocally({ ...options, siteURL: 'http://127.0.0.1' }, 8, () => {});
  try {
    await doTheirWorst(pool, connections);
  } finally {
    await connections.pool.end();
    await pool.end();
    await postgres.stop();
    await rm(folder, { recursive: true });
  }
}

async function doTheirWorst(pool: Pool, connections: Awaited<ReturnType<typeof connectLocally>>): Promise<void> {
  const rules = { ...localSettings, allowPrivateAddresses: true, rateLimitFactor: 1000, limitFactor: 1 };
  const rest = createRestHandler(createRestService(connections, rules, () => {}));
  const data = databaseOn(pool);
  await data.users.ensureUser({ id: 'usr_worst', email: 'worst@example.com', name: 'worst' });
  const key = { id: 'key_worst', userID: 'usr_worst', name: 'x', keySha256: hashApiKey(apiKey), keyStart: 'lss' };
  await data.users.ensureKey(key);
  let keys = 0;
  const refused = new Map<string, number>();
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = {
      'x-api-key': apiKey,
      'content-type': 'application/json',
      'idempotency-key': `key-${(keys += 1)}`,
    };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await rest(new Request(`http://127.0.0.1/v1${path}`, { method, headers, ...sent }), '192.0.2.1');
    const answer = (await response.json().catch(() => ({}))) as { id?: string; code?: string };
    if (answer.code !== undefined) refused.set(answer.code, (refused.get(answer.code) ?? 0) + 1);
    return answer;
  };
  const before = await tableBytes(pool);

  for (let number = 0; number < 25; number++)
    await call('POST', '/webhooks', {
      url: `http://127.0.0.1:9/${longID('w', number)}`,
      events: ['stream.state_changed'],
    });
  const { id: uploadID } = await call('POST', '/uploads', { name: 'x', mimeType: 'video/mp4', fileSize: 1 });
  const { id: streamID } = await call('POST', '/streams', { name: 'x' });
  const { id: playlistID } = await call('POST', '/playlists', { streamID, kind: 'video', mode: 'sequential' });
  for (const half of [0, 500]) {
    const items = Array.from({ length: 500 }, (_, index) => longID('itm', half + index));
    const operations = items.map((itemID) => ({ op: 'add', uploadID, itemID }));
    await call('POST', `/playlists/${playlistID}/operations`, { operations });
  }
  const attacks = [
    (number: number) =>
      call('POST', `/playlists/${playlistID}/operations`, {
        operations: [{ op: 'setMode', mode: number % 2 === 0 ? 'shuffle' : 'sequential' }],
      }),
    () => call('POST', `/streams/${streamID}/schedule`, { scheduleStartAt: '2999-01-01T00:00:00Z' }),
    () => call('DELETE', `/streams/${streamID}/schedule`),
    () => call('POST', '/streams', { name: 'x'.repeat(200) }),
    () => call('POST', '/uploads', { name: 'x'.repeat(255), mimeType: 'video/mp4', fileSize: 1 }),
    () => call('POST', '/playlists', { streamID, kind: 'audio', mode: 'shuffle', name: 'x'.repeat(255) }),
    () => call('POST', '/destinations', { name: 'x', rtmpURL: 'rtmp://127.0.0.1/live', streamKey: 'k'.repeat(200) }),
    () => call('POST', '/billing/top-ups', { amountCents: 500 }),
  ];
  const calls = minutes * requestsPerMinute.write;
  for (let number = 0; number < calls; number++) {
    await attacks[number % attacks.length]!(number);
    // The sweep of each minute.
    if (number % requestsPerMinute.write === requestsPerMinute.write - 1)
      await sweep({ ...connections, startOptions, storage, clock: () => new Date() });
  }
  const grown = Object.entries(await tableBytes(pool))
    .map(([table, bytes]) => ({ table, bytes: bytes - (before[table] ?? 0) }))
    .filter(({ bytes }) => bytes > 0)
    .toSorted((a, b) => b.bytes - a.bytes);
  console.log(
    `${calls} writes, as many as a user may make in ${minutes} minutes; refused:`,
    Object.fromEntries(refused),
  );
  console.table(grown);
  const total = grown.reduce((sum, { bytes }) => sum + bytes, 0);
  const bound = boundBytes();
  console.log(`together ${mib(total)} MiB; what is bounded may have ${mib(bound)} MiB, however long the user goes on`);
}

/** The space that a user without credits may fill by the table of limits. */
function boundBytes(): number {
  const rows = (
    [
      'uploads',
      'playlists',
      'playlistItems',
      'streams',
      'destinations',
      'webhooks',
      'pendingTopUps',
      'preparedSeconds',
    ] as const
  ).map((name) => limits[name].base * rowBytes[name]);
  const kept =
    limits.keptAnswers.base * (rowBytes.keptAnswers + bounds.smallAnswerBytes) + bounds.keptAnswerBytesPerUser;
  // A minute passes between two sweeps. Each write in it may be an event for every webhook.
  const deliveries = bounds.keptDeliveriesPerWebhook + requestsPerMinute.write;
  const archived = bounds.archivedDestinationsPerUser * rowBytes.destinations;
  // Moves have a similar bound: a write can be a start that fails, which is three moves.
  const moves = limits.streams.base * bounds.keptTransitionsPerStream + 3 * requestsPerMinute.write;
  return [
    ...rows,
    kept,
    archived,
    moves * rowBytes.transitions,
    limits.webhooks.base * deliveries * rowBytes.delivery,
  ].reduce((sum, one) => sum + one);
}

async function tableBytes(pool: Pool): Promise<Record<string, number>> {
  const rows = await all<{ name: string; bytes: number }>(
    pool,
    `select relname as name, pg_total_relation_size(oid) as bytes from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, bytes]));
}

const mib = (bytes: number) => (bytes / 2 ** 20).toFixed(1);

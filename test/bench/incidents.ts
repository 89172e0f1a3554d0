// The delay from confirmation to notice of each of 10,000 incidents, and that each is sent once.
// They occur at once, a tenth of them flapping, for 1,000 users with two channels each. Some services answer 429, 500
// or nothing.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import type { Pool } from 'pg';
import { startThrowawayPostgres } from '../../bin/local/postgres/postgres.ts';
import { newID } from '../../lambda/data/shared/new-id.ts';
import { all, createPool, one } from '../../lambda/data/shared/queryable.ts';
import { alertTargetPlace } from '../../lambda/domain/shared/sealed-places.ts';
import { migrate } from '../../lambda/migrate/migrate.ts';
import { createPostgresCommandQueue } from '../../lambda/ports/command-queue/postgres-command-queue.ts';
import { createNameResolver } from '../../lambda/ports/outbound/name-resolver.ts';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import { createWebhooksHandler } from '../../lambda/webhooks/webhooks.ts';

const users = Number(process.env['INCIDENT_USERS'] ?? 1000);
const streamsOfUser = 10;
/** The function's maximum number of concurrent calls in AWS (lib/publishing/publishing-stack.ts). */
const consumers = 10;
const troubleMs = 8000;
/** Silence of a service, as long as an attempt lasts. */
const attemptMs = 2000;
const troubles = ['none', '429', '500', 'silent'] as const;
type Trouble = (typeof troubles)[number];

/** Received notices: for each channel and incident, the number of notices of its start. */
type Told = Map<string, number>;

export async function incidentsBench(): Promise<void> {
  const postgres = await startThrowawayPostgres();
  const pool = createPool({ connectionString: postgres.url, max: 20 });
  const told: Told = new Map();
  const state = { inTrouble: true, messages: 0 };
  const servers = new Map<Trouble, Server>();
  for (const trouble of troubles) servers.set(trouble, await serve(trouble, state, told));
  const ending = new AbortController();
  try {
    await migrate(pool);
    const sealer = createSealer([{ id: 1, key: Buffer.alloc(32, 'a key for a bench') }]);
    await makeUsers(pool, servers, sealer);
    const handler = createWebhooksHandler({
      pool,
      sealer,
      attempts: { allowPrivateAddresses: true, resolve: createNameResolver(), timeoutMs: attemptMs },
      mailer: null,
      siteURL: 'http://127.0.0.1',
      telegramURL: urlOf(servers.get('429')!),
      newID: (prefix) => newID(prefix, new Date()),
      clock: () => new Date(),
      steadyClock: () => performance.now(),
      random: Math.random,
      log: () => {},
      signal: ending.signal,
    });
    const queue = createPostgresCommandQueue({ pool, log: console.error });
    const consuming = Array.from({ length: consumers }, () =>
      queue.consume('webhooks', handler, { signal: ending.signal }),
    );
    const beganMs = performance.now();
    await signal(pool, `true`, 'wrong');
    // A tenth of the conditions ends and returns twice more.
    for (const condition of ['well', 'wrong', 'well', 'wrong']) await signal(pool, `n % 10 = 0`, condition);
    console.log(`${users * streamsOfUser} incidents signalled in ${seconds(performance.now() - beganMs)}`);
    void setTimeout(troubleMs).then(() => (state.inTrouble = false));
    const expected = users * streamsOfUser * 2;
    while ((await countSent(pool)) < expected && performance.now() - beganMs < 120_000) await setTimeout(500);
    console.log(`all told after ${seconds(performance.now() - beganMs)}, in ${state.messages} messages`);
    await print(pool, expected, told);
    ending.abort();
    await Promise.all(consuming);
  } finally {
    ending.abort();
    for (const server of servers.values()) server.close().closeAllConnections();
    await pool.end();
    await postgres.stop();
  }
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

async function serve(trouble: Trouble, state: { inTrouble: boolean; messages: number }, told: Told): Promise<Server> {
  const answer = (url: string, body: string, response: ServerResponse) => {
    if (state.inTrouble && trouble === 'silent') return;
    if (state.inTrouble && trouble === '500') return void response.writeHead(500).end('no');
    if (state.inTrouble && trouble === '429')
      return void response
        .writeHead(429, { 'content-type': 'application/json' })
        .end(JSON.stringify({ ok: false, error_code: 429, parameters: { retry_after: 3 } }));
    state.messages++;
    for (const { id, phase } of (JSON.parse(body) as { incidents?: { id: string; phase: string }[] }).incidents ?? []) {
      const key = `${url} ${id} ${phase}`;
      told.set(key, (told.get(key) ?? 0) + 1);
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true,"result":{}}');
  };
  const server = createServer((request, response) => {
    void text(request).then((body) => answer(request.url ?? '', body, response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** Seven of ten users have working services; each of the others has another kind of fault. */
async function makeUsers(
  pool: Pool,
  servers: ReadonlyMap<Trouble, Server>,
  sealer: ReturnType<typeof createSealer>,
): Promise<void> {
  await pool.query(
    `insert into users (id, email, name)
     select 'usr_' || n, n || '@example.org', '' from generate_series(0, $1::int - 1) n`,
    [users],
  );
  const channels = Array.from({ length: users * 2 }, (_, index) => {
    const user = Math.floor(index / 2);
    const trouble = troubles[Math.max(0, (user % 10) - 6)]!;
    const url = urlOf(servers.get(trouble)!);
    const kind = index % 2 === 0 ? 'webhook' : trouble === '429' ? 'telegram' : 'slack';
    const target = kind === 'telegram' ? `123456789:AAExampleExampleExampleExample/-1001` : `${url}/${index}`;
    const id = `alc_${index}`;
    // As with real services, only plain webhooks have a host that users do not share.
    const host = kind === 'webhook' ? `host-${user}` : null;
    return { id, user: `usr_${user}`, kind, host, sealed: sealer.seal(target, alertTargetPlace(id)) };
  });
  await pool.query(
    `insert into alert_channels (id, user_id, name, kind, sealed_target, shown_target, host, events, after_seconds)
     select id, user_id, 'bench', kind, sealed, '', host, '{stream_away}', 0
     from unnest($1::text[], $2::text[], $3::text[], $4::bytea[], $5::text[]) as c (id, user_id, kind, sealed, host)`,
    [
      channels.map(({ id }) => id),
      channels.map(({ user }) => user),
      channels.map(({ kind }) => kind),
      channels.map(({ sealed }) => sealed),
      channels.map(({ host }) => host),
    ],
  );
}

/** Signals streams of all users, as triggers do. @param which SQL condition on the number of the stream, n */
async function signal(pool: Pool, which: string, condition: string): Promise<void> {
  await pool.query(
    `select note_signal('usr_' || n / $1::int, 'stream_away', 'str_' || n, 'str_' || n, null, $3, '{"name": "Radio"}')
     from generate_series(0, $1::int * $2::int - 1) n where ${which}`,
    [streamsOfUser, users, condition],
  );
}

async function countSent(pool: Pool): Promise<number> {
  const sent = 'select count(*)::int as count from alert_notices where sent_at is not null';
  return (await one<{ count: number }>(pool, sent, []))!.count;
}

async function print(pool: Pool, expected: number, told: Told): Promise<void> {
  const rows = await all<{ kind: string; count: number; p50: number; p99: number; most: number }>(
    pool,
    `select kind, count(*)::int as count, percentile_disc(0.5) within group (order by late) as p50,
       percentile_disc(0.99) within group (order by late) as p99, max(late) as most
     from (
       select case (substr(c.user_id, 5)::int % 10) when 7 then '429 with retry_after' when 8 then '500'
           when 9 then 'silent' else 'well' end as kind,
         extract(epoch from n.sent_at - i.confirmed_at)::float8 as late
       from alert_notices n join incidents i on i.id = n.incident_id join alert_channels c on c.id = n.channel_id
       where n.sent_at is not null and n.phase = 'began') told
     group by kind order by kind`,
  );
  for (const { kind, count, p50, p99, most } of rows)
    console.log(
      `  services that are ${kind.padEnd(20)} ${count} told: p50 ${p50.toFixed(2)}, p99 ${p99.toFixed(2)}, ` +
        `last ${most.toFixed(2)} s after confirmation`,
    );
  const { sent, flapping } = (await one<{ sent: number; flapping: number }>(
    pool,
    `select (select count(*)::int from alert_notices where sent_at is not null) as sent,
       (select count(*)::int from incidents where count >= 3) as flapping`,
    [],
  ))!;
  const twice = [...told.values()].filter((count) => count > 1).length;
  console.log(`  ${sent} of ${expected} told; ${twice} twice; ${flapping} incidents that flap, each of them one`);
}

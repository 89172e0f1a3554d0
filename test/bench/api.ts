// Requests of 50 clients at once: the REST surface against a bare server of hand-written SQL, in turns.
import { deepStrictEqual } from 'node:assert';
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import type { Pool } from 'pg';
import { startThrowawayPostgres } from '../../bin/local/postgres/postgres.ts';
import { databaseOn } from '../../lambda/data/database.ts';
import { createPool } from '../../lambda/data/shared/queryable.ts';
import { migrate } from '../../lambda/migrate/migrate.ts';
import { hashApiKey } from '../../lambda/surfaces/admission/authenticate.ts';

const clients = 50;
const users = 10;
/** Rounds of each server and case. Six are a minute. */
const rounds = Number(process.env['API_ROUNDS'] ?? 6);
const roundMs = 10_000;
const warmUpMs = 3000;

interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

/** A user, as clients of a server need it. */
interface BenchUser {
  readonly key: string;
  readonly uploadID: string;
  /** The server's cursor after the first page. */
  readonly cursor: string;
}

interface Case {
  readonly name: string;
  /** Uploads of each user at the beginning. */
  readonly uploads: number;
  /** Each client sends one request after the other, by their number. */
  readonly requestOf: (turn: number, user: BenchUser) => ApiRequest;
}

const get = (path: string): ApiRequest => ({ method: 'GET', path: `/v1/uploads${path}` });

const cases: readonly Case[] = [
  {
    name: '50 % pages, 30 % uploads, 20 % new uploads; users with 100 uploads',
    uploads: 100,
    requestOf: (turn, { uploadID }) => {
      if (turn % 10 < 5) return get('?limit=20');
      if (turn % 10 < 8) return get(`/${uploadID}`);
      return { method: 'POST', path: '/v1/uploads', body: '{"name":"bench.mp4","mimeType":"video/mp4"}' };
    },
  },
  {
    name: '40 % first pages, 30 % later pages, 30 % searches; users with 10,000 uploads',
    uploads: 10_000,
    requestOf: (turn, { cursor }) => {
      if (turn % 10 < 4) return get('?limit=20');
      return get(turn % 10 < 7 ? `?limit=20&cursor=${cursor}` : '?limit=20&q=song42');
    },
  },
];

interface Server {
  readonly child: ChildProcess;
  readonly port: number;
}

export async function apiBench(): Promise<void> {
  const postgres = await startThrowawayPostgres();
  const folder = await mkdtemp(join(tmpdir(), 'bench-api-'));
  const pool = createPool({ connectionString: postgres.url, max: 1 });
  const servers: Server[] = [];
  try {
    await migrate(pool);
    for (const kind of ['platform', 'bare']) servers.push(await serve(kind, postgres.url, folder));
    console.log(`${clients} clients, ${(rounds * roundMs) / 1000} s each, in turns of ${roundMs / 1000} s`);
    for (const each of cases) await measure(each, pool, servers);
  } finally {
    for (const { child } of servers) child.kill();
    await pool.end();
    await postgres.stop();
    await rm(folder, { recursive: true });
  }
}

async function serve(kind: string, databaseURL: string, folder: string): Promise<Server> {
  const child = fork(join(import.meta.dirname, 'api-server.ts'), [kind, databaseURL, folder]);
  const [port]: number[] = await once(child, 'message');
  return { child, port: port! };
}

interface Measure {
  readonly latenciesMs: number[];
  errors: number;
}

async function measure(measured: Case, pool: Pool, servers: readonly Server[]): Promise<void> {
  const keys = await fill(pool, measured.uploads);
  const targets = await Promise.all(
    servers.map(async ({ port }) => ({ port, users: await Promise.all(keys.map((key) => userOf(port, key))) })),
  );
  deepStrictEqual(await answersOf(servers[0]!.port, keys[0]!), await answersOf(servers[1]!.port, keys[0]!));
  const measures = targets.map((): Measure => ({ latenciesMs: [], errors: 0 }));
  // The first load is not measured: it compiles the code and opens the connections.
  for (const target of targets) await load(measured, target, warmUpMs, { latenciesMs: [], errors: 0 });
  for (let round = 0; round < rounds; round++)
    for (const [index, target] of targets.entries()) {
      // This server gathers no statistics by itself, unlike those of users.
      await pool.query('vacuum analyze');
      await load(measured, target, roundMs, measures[index]!);
    }
  print(measured, measures[0]!, measures[1]!);
}

/** Creates users with uploads. @returns their keys */
async function fill(pool: Pool, uploads: number): Promise<string[]> {
  const keys = Array.from({ length: users }, (_, user) => `lss_${uploads}_${user}`);
  const { users: accounts } = databaseOn(pool);
  for (const [user, key] of keys.entries()) {
    const userID = `usr_${uploads}_${user}`;
    await accounts.ensureUser({ id: userID, email: `${userID}@example.com`, name: 'bench' });
    const keySha256 = hashApiKey(key);
    await accounts.ensureKey({ id: `key_${userID}`, userID, name: 'bench', keySha256, keyStart: 'lss_' });
    await pool.query(
      `insert into uploads (id, user_id, name, mime_type, type, object_key)
       select 'upl_' || $1 || number, $1, 'song' || number % 1000 || ' of ' || $1 || '.mp4', 'video/mp4', 'video',
         'uploads/' || $1 || '/' || number
       from generate_series(1, $2::int) as number`,
      [userID, uploads],
    );
  }
  return keys;
}

interface Page {
  readonly data: readonly { readonly id: string }[];
  readonly page: { readonly hasMore: boolean; readonly nextCursor: string };
}

async function userOf(port: number, key: string): Promise<BenchUser> {
  const first = (await read(port, key, '?limit=20')) as Page;
  return { key, uploadID: first.data.at(-1)!.id, cursor: first.page.nextCursor };
}

/** Answers that both servers give alike. */
async function answersOf(port: number, key: string): Promise<unknown[]> {
  const { uploadID, cursor } = await userOf(port, key);
  const pages = ['?limit=20', `?limit=20&cursor=${cursor}`, '?limit=20&q=song42'];
  const answers = await Promise.all(pages.map((path) => read(port, key, path) as Promise<Page>));
  return [...answers.map(({ data, page }) => [data, page.hasMore]), await read(port, key, `/${uploadID}`)];
}

async function read(port: number, key: string, path: string): Promise<unknown> {
  return json(await send(new Agent(), port, key, get(path)));
}

interface Target {
  readonly port: number;
  readonly users: readonly BenchUser[];
}

async function load({ requestOf }: Case, target: Target, durationMs: number, measured: Measure): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const endMs = performance.now() + durationMs;
  const client = async (number: number) => {
    const user = target.users[number % users]!;
    for (let turn = number; performance.now() < endMs; turn++) {
      const beganMs = performance.now();
      const response = await send(agent, target.port, user.key, requestOf(turn, user));
      response.resume();
      await once(response, 'end');
      measured.latenciesMs.push(performance.now() - beganMs);
      if (response.statusCode! >= 300) measured.errors += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
  agent.destroy();
}

async function send(agent: Agent, port: number, key: string, request: ApiRequest): Promise<IncomingMessage> {
  const { method, path, body } = request;
  const headers = {
    'x-api-key': key,
    ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': body.length }),
  };
  const sent = httpRequest({ agent, host: '127.0.0.1', port, method, path, headers }).end(body);
  const [response]: IncomingMessage[] = await once(sent, 'response');
  return response!;
}

function print({ name }: Case, platform: Measure, bare: Measure): void {
  const row = (server: string, { latenciesMs, errors }: Measure) => {
    const sorted = latenciesMs.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.floor(sorted.length * share)]!.toFixed(1).padStart(6);
    const perSecond = ((sorted.length * 1000) / (rounds * roundMs)).toFixed(0).padStart(6);
    return `${server.padEnd(24)} ${perSecond} requests/s   p50 ${at(0.5)} ms   p99 ${at(0.99)} ms   ${errors} errors`;
  };
  console.log(`\n${name}`);
  console.log(row('REST surface', platform));
  console.log(row('bare, hand-written SQL', bare));
  const share = (100 * platform.latenciesMs.length) / bare.latenciesMs.length;
  console.log(`throughput: the REST surface has ${share.toFixed(0)} % of the bare server's`);
}

// Reads and writes of 50 clients at once: the REST surface against the same SQL behind bare hono and pg, in turns.
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startThrowawayPostgres } from '../../bin/local/postgres/postgres.ts';
import { databaseOn } from '../../lambda/data/database.ts';
import { createPool } from '../../lambda/data/shared/queryable.ts';
import { migrate } from '../../lambda/migrate/migrate.ts';
import { hashApiKey } from '../../lambda/surfaces/admission/authenticate.ts';

const clients = 50;
const users = 10;
const rounds = 6;
/** Duration of one server's round. Six rounds are a minute for each server. */
const roundMs = 10_000;

interface Measure {
  readonly latenciesMs: number[];
  errors: number;
}

interface Served {
  readonly child: ChildProcess;
  readonly port: number;
  readonly measure: Measure;
}

export async function apiBench(): Promise<void> {
  const postgres = await startThrowawayPostgres();
  const folder = await mkdtemp(join(tmpdir(), 'bench-api-'));
  const served: Served[] = [];
  try {
    const uploadIDs = await fill(postgres.url);
    for (const kind of ['platform', 'bare']) served.push(await serve(kind, postgres.url, folder));
    // The first load is not measured: it compiles the code and opens the connections.
    for (const { port } of served) await load(port, uploadIDs, 2000, { latenciesMs: [], errors: 0 });
    for (let round = 0; round < rounds; round++)
      for (const { port, measure } of served) await load(port, uploadIDs, roundMs, measure);
    print(served[0]!.measure, served[1]!.measure);
  } finally {
    for (const { child } of served) child.kill();
    await postgres.stop();
    await rm(folder, { recursive: true });
  }
}

const keyOf = (user: number) => `lss_bench_${user}`;

/** Creates users with 100 uploads each. @returns the id of an upload of each user */
async function fill(url: string): Promise<string[]> {
  const pool = createPool({ connectionString: url, max: 5 });
  await migrate(pool);
  const data = databaseOn(pool);
  for (let user = 0; user < users; user++) {
    await data.users.ensureUser({ id: `usr_${user}`, email: `${user}@example.com`, name: 'bench' });
    await data.users.ensureKey({
      id: `key_${user}`,
      userID: `usr_${user}`,
      name: 'bench',
      keySha256: hashApiKey(keyOf(user)),
      keyStart: 'lss_bench',
    });
    for (let index = 0; index < 100; index++) {
      const id = `upl_${user}_${index}`;
      await data.uploads.insert({
        id,
        userID: `usr_${user}`,
        name: id,
        mimeType: 'video/mp4',
        type: 'video',
        objectKey: id,
        declaredSizeBytes: null,
        expectedBytes: 0,
      });
    }
  }
  await pool.end();
  return Array.from({ length: users }, (_, user) => `upl_${user}_50`);
}

async function serve(kind: string, databaseURL: string, folder: string): Promise<Served> {
  const child = fork(join(import.meta.dirname, 'api-server.ts'), [kind, databaseURL, folder]);
  const [port]: number[] = await once(child, 'message');
  return { child, port: port!, measure: { latenciesMs: [], errors: 0 } };
}

/** Each client sends one request after the other: 50 % read pages, 30 % read an upload, and 20 % create one. */
async function load(port: number, uploadIDs: readonly string[], durationMs: number, measure: Measure): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const endMs = performance.now() + durationMs;
  const client = async (number: number) => {
    const user = number % users;
    for (let turn = number; performance.now() < endMs; turn++) {
      const request = requestOf(turn, uploadIDs[user]!);
      const beganMs = performance.now();
      const status = await send(agent, port, user, request);
      measure.latenciesMs.push(performance.now() - beganMs);
      if (status >= 300) measure.errors += 1;
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
  agent.destroy();
}

interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

function requestOf(turn: number, uploadID: string): ApiRequest {
  if (turn % 10 < 5) return { method: 'GET', path: '/uploads?limit=20' };
  if (turn % 10 < 8) return { method: 'GET', path: `/uploads/${uploadID}` };
  return { method: 'POST', path: '/uploads', body: '{"name":"bench.mp4","mimeType":"video/mp4"}' };
}

/** @returns the status of the answer */
async function send(agent: Agent, port: number, user: number, { method, path, body }: ApiRequest): Promise<number> {
  const headers = {
    'x-api-key': keyOf(user),
    ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': body.length }),
  };
  const sent = httpRequest({ agent, host: '127.0.0.1', port, method, path: `/v1${path}`, headers }).end(body);
  const [response]: IncomingMessage[] = await once(sent, 'response');
  response!.resume();
  await once(response!, 'end');
  return response!.statusCode!;
}

function print(platform: Measure, bare: Measure): void {
  const seconds = (rounds * roundMs) / 1000;
  const row = (name: string, { latenciesMs, errors }: Measure) => {
    const sorted = latenciesMs.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.floor(sorted.length * share)]!.toFixed(1).padStart(6);
    const perSecond = (sorted.length / seconds).toFixed(0).padStart(6);
    const latency = `p50 ${at(0.5)} ms   p99 ${at(0.99)} ms`;
    return `${name.padEnd(24)} ${perSecond} requests/s   ${latency}   ${errors} errors`;
  };
  console.log(`${clients} clients, ${seconds} s each, in turns of ${roundMs / 1000} s`);
  console.log(row('REST surface', platform));
  console.log(row('the same SQL, bare', bare));
  console.log(`throughput: ${((100 * platform.latenciesMs.length) / bare.latenciesMs.length).toFixed(0)} % of bare`);
}

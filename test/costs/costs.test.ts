// Costs of operations for the database: statements, blocks and WAL records, held against a table.
// They do not depend on the machine. `RECORD_COSTS=1 npm run vitest -- run test/costs` writes the table, and a changed
// table belongs to the commit.
import { readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { formatName } from '../../lambda/domain/playout/rendition.ts';
import type { Replica } from '../../lambda/data/fleet/replicas.ts';
import { recoverReplicas } from '../../lambda/orchestration/fleet/recover-replicas.ts';
import type { QueueHandler } from '../../lambda/ports/command-queue/command-queue.ts';
import { createSealer } from '../../lambda/ports/sealer/sealer.ts';
import { createMediaWorker } from '../../lambda/publisher/media-worker.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { actorsOn, inFuture } from '../support/actors.ts';
import { databaseOfOwnServer } from '../support/database.ts';
import { fastEncoder, mediaSample } from '../support/media-samples.ts';
import { testDataKey, testService } from '../support/service.ts';
import { objectKeyOf } from '../support/stored-uploads.ts';
import { samplesOfFile } from '../support/test-samples.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { testSender } from '../webhooks/sender.ts';
import { excessesOver, tableOf, workOf } from './cost-table.ts';
import type { OperationCost } from './cost-table.ts';
import { countStatements, openCounts } from './counted-statements.ts';
import { insertNeighbours } from './neighbours.ts';

const tableFile = join(import.meta.dirname, 'costs.txt');
const setSize = 100;
/** An operation is counted so often in a pass; the table has the cheapest time. */
const rounds = 4;
/** Passes at most over operations that cost more than the table says. */
const passes = 3;
const isRecording = process.env['RECORD_COSTS'] !== undefined;

const tools = await findMediaTools(process.env);
const samples = samplesOfFile();
const service = testService({ database: databaseOfOwnServer() });
const actors = actorsOn(service);
const { call, claim, create, data, fallDue, fire, readyStream, register, report, startedStream, stream } = actors;

beforeAll(async () => {
  // A new connection reads catalogs, also one in place of another that was idle for long on a slow machine.
  service.pool().options.idleTimeoutMillis = 0;
  await openCounts(service.databaseURL());
});

it('operations cost the database no more than the table says', { timeout: 180_000 }, async () => {
  const costs = [...(await costsBeside(1)), ...(await costsBeside(10_000))];
  if (isRecording) writeFileSync(tableFile, tableOf(costs));
  expect(excessesOver(readFileSync(tableFile, 'utf8'), costs)).toEqual([]);
});

/** The costs of all operations beside so many streams, uploads and agents of others and of the user. */
async function costsBeside(neighbours: number): Promise<OperationCost[]> {
  await insertNeighbours(service.pool(), actors.user().id, neighbours);
  const costs = new Map<string, OperationCost>();
  const count = async (name: string, work: () => Promise<unknown>, times = 1) => {
    const statements = await countStatements(service.pool(), work);
    const operation = `${name}, beside ${neighbours.toLocaleString('en')}`;
    const cost = { operation, times, statements };
    // A connection that does something for the first time reads catalogs as well.
    const before = costs.get(operation);
    if (before === undefined || workOf(cost) < workOf(before)) costs.set(operation, cost);
  };
  const own = `agent_${neighbours}`;
  await register(own);
  const table = isRecording ? null : readFileSync(tableFile, 'utf8');
  const countWithin = async (work: (pass: number) => Promise<void>, recordedPasses = 1) => {
    for (let pass = 1; pass <= passes; pass++) {
      await work(pass);
      const isEnough = table === null ? pass === recordedPasses : excessesOver(table, [...costs.values()]).length === 0;
      if (isEnough) return;
    }
  };
  await countWithin(() => countStreams(count, own));
  await countWithin((pass) => countSets(count, { own, lost: `lost_${neighbours}_${pass}` }), passes);
  // Dead rows and old statistics would make plans and blocks vary.
  await service.pool().query('vacuum analyze');
  await countWithin(() => countReads(count));
  await countWithin(() => countUploads(count));
  await countWithin(() => countWebhooks(count));
  await data().agents.declareDead(own);
  return [...costs.values()];
}

type Count = (operation: string, work: () => Promise<unknown>, times?: number) => Promise<void>;

/** The life of streams that a user starts and stops by hand. */
async function countStreams(count: Count, agent: string): Promise<void> {
  for (let round = 1; round <= rounds; round++) await liveThrough(agent, count);
  const { agentRenewals } = data();
  let known = await agentRenewals.renew(agent);
  for (let round = 1; round <= rounds; round++)
    await count('renewal of a lease', async () => (known = await agentRenewals.renew(agent, undefined, known)));
}

async function liveThrough(agent: string, count: Count): Promise<void> {
  const id = await readyStream();
  await count('start by hand', () => call('POST', `/streams/${id}/start`));
  await data().agentRenewals.renew(agent);
  let held: Replica | undefined;
  await count('claim of its replica', async () => {
    held = (await claim(agent)).find(({ stream_id: streamID }) => streamID === id);
  });
  await count('report that it is live', () => report(held!, 'live'));
  await count('stop by hand', () => call('POST', `/streams/${id}/stop`));
  await count('report that it has ended', () => report(held!, 'ended'));
  expect((await stream(id)).state).toBe('stopped');
}

/** Streams that start, are taken over and end together, of each backend. */
async function countSets(count: Count, agents: { readonly own: string; readonly lost: string }): Promise<void> {
  const encoded = await scheduledStreams({ streamBackend: 'ffmpeg', videoUploadObjectID: await actors.upload() });
  await count(`start in a set of ${setSize}`, fire, setSize);
  await register(agents.lost);
  await goLive(agents.lost, encoded.length);
  expect(await data().agents.drain(agents.lost)).toBe(true);
  await data().agents.declareDead(agents.lost);
  await data().agentRenewals.renew(agents.own);
  await count(`takeover in a set of ${setSize}`, () => recoverReplicas(service.pool()), setSize);
  await goLive(agents.own, encoded.length);
  for (const id of encoded) await fallDue(id, 'schedule_end');
  await count(`stop in a set of ${setSize}`, fire, setSize);
  const prepared = await scheduledStreams({
    streamBackend: 'manifest',
    videoUploadObjectID: await preparedUpload(),
  });
  await count(`start of prepared streams in a set of ${setSize}`, fire, setSize);
  await goLive(agents.own, prepared.length);
  await service.pool().query('delete from streams where id = any ($1)', [prepared]);
}

/** Streams with one upload, and destinations of their own, whose starts are due. @returns their ids */
async function scheduledStreams(settings: object): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < setSize; index++) {
    const destinationID = await actors.destination();
    const id = await create('/streams', { destinationID, quality: 'q_720p', framerate: 'f_30', ...settings });
    await call('POST', `/streams/${id}/schedule`, {
      scheduleStartAt: inFuture(3600),
      scheduleEndAt: inFuture(7200),
    });
    ids.push(id);
  }
  for (const id of ids) await fallDue(id, 'schedule_start');
  return ids;
}

/** An upload whose pictures are prepared. */
async function preparedUpload(): Promise<string> {
  const id = await actors.upload();
  const contentHash = `content of ${id}`;
  await service.pool().query('update uploads set content_hash = $2 where id = $1', [id, contentHash]);
  const format = { quality: 'q_720p', framerate: 'f_30', videoCodec: 'h264' } as const;
  await data().renditions.begin(contentHash, format, 1);
  await data().renditions.finishSegment(contentHash, formatName(format), 0);
  return id;
}

/** Lets an agent claim all waiting replicas, and report them live. */
async function goLive(agent: string, count: number): Promise<void> {
  await data().agentRenewals.renew(agent);
  const held = await claim(agent);
  expect(held).toHaveLength(count);
  for (const replica of held) await report(replica, 'live');
}

/** Reads that pages of the site and clients send most. */
async function countReads(count: Count): Promise<void> {
  const id = await startedStream();
  const paths = {
    'page of 50 streams': '/streams?limit=50',
    stream: `/streams/${id}`,
    'readiness of a stream': `/streams/${id}/readiness`,
    'timeline of a stream': `/streams/${id}/timeline`,
    'page of 50 uploads': '/uploads?limit=50',
    'search of uploads': '/uploads?q=clip&limit=50',
    'page of playlists': '/playlists?limit=50',
    'page of destinations': '/destinations?limit=50',
    account: '/me',
    bill: '/billing/overview',
    'page of 50 invoices': '/billing/invoices?limit=50',
    'usage of a month': '/billing/usage',
  };
  for (const [operation, path] of Object.entries(paths)) {
    const read = async () => expect(await call('GET', path)).toMatchObject({ status: 200 });
    for (let round = 1; round <= rounds; round++) await count(operation, read);
  }
  await service.pool().query('delete from streams where id = $1', [id]);
}

/** Uploads of different bytes from the request that says that they have arrived. */
async function countUploads(count: Count): Promise<void> {
  const objects = service.objects();
  const sample = await mediaSample('telephone.wav');
  const work = createMediaWorker({
    pool: service.pool(),
    objects: { ...objects, presignGet: async () => samples.urlOf(sample) },
    tools,
    encoderOf: async () => fastEncoder,
    random: () => 0.5,
    limitFactor: 100,
    log: () => {},
  });
  const bytes = await readFile(sample);
  for (let round = 1; round <= rounds; round++) {
    const id = await create('/uploads', { name: 'song', mimeType: 'audio/wav' });
    bytes.write(id, bytes.length - id.length);
    await objects.write(await objectKeyOf(service, id), bytes, { contentType: 'audio/wav' });
    const body = JSON.stringify({ task: 'probe_upload', uploadID: id });
    await count('upload from complete to ready', async () => {
      await call('POST', `/uploads/${id}/complete`);
      await work({ Records: [{ messageId: '1', body, attributes: {} }] } as unknown as Parameters<QueueHandler>[0]);
    });
    expect((await call('GET', `/uploads/${id}`)).body).toMatchObject({ probeState: 'completed' });
  }
}

async function countWebhooks(count: Count): Promise<void> {
  await using receiver = await startReceiver();
  const { body: webhook } = await call('POST', '/webhooks', { url: receiver.url, events: ['stream.state_changed'] });
  const sender = testSender(service.pool(), createSealer([testDataKey]));
  for (let round = 1; round <= rounds; round++)
    await count('webhook from event to sent', async () => {
      await service.pool().query(`select record_event($1, 'stream.state_changed', 'str', '{}')`, [actors.user().id]);
      await sender.carryOut({ webhookID: webhook.id });
    });
  expect(receiver.verified(webhook.secret)).toHaveLength(rounds);
  await call('DELETE', `/webhooks/${webhook.id}`);
}

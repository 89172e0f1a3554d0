// The cost of 100 previews that are open at once, and whether the 100 prepared streams that they show lose frames.
// The ingest of a real `npm start` counts the frames; before and after, no preview is open.
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { databaseOn } from '../../lambda/data/database.ts';
import { createPool } from '../../lambda/data/shared/queryable.ts';
import { apiKeyPrefix, hashApiKey } from '../../lambda/surfaces/admission/authenticate.ts';
import type { KeyFacts } from '../support/faulty-ingest.ts';
import { apiClient, startLocalRun, temporaryDataFolder, until, uploadFile } from '../support/local-run.ts';
import type { ApiClient, LocalRun } from '../support/local-run.ts';
import { descendantsOf, nodeProcessesOf } from '../support/processes.ts';
import { prepareClips } from './clips.ts';
import { openPreview } from './preview-viewer.ts';
import type { ViewerFigures } from './preview-viewer.ts';
import { cpuNanoseconds } from './process-figures.ts';

const users = 10;
/** Open previews of one user: the rate limit of playlists allows ten at once. */
const streamsOfUser = Math.ceil(Number(process.env['PREVIEWS'] ?? 100) / users);
const phaseSeconds = Number(process.env['PHASE_SECONDS'] ?? 25);
const framesPerSecond = 30;
const format = { quality: 'q_720p', framerate: 'f_30', videoCodec: 'h264' } as const;
/** Time in which the players arrive one after the other. Each requests every two seconds. */
const arrivingMs = 2000;

interface Stream {
  readonly api: ApiClient;
  readonly id: string;
}

export async function previewsBench(): Promise<void> {
  const folder = await temporaryDataFolder();
  const clipFolder = join(folder.path, 'clips');
  await mkdir(clipFolder);
  const clips = await prepareClips(clipFolder, format, [20]);
  const ingest = fork(join(import.meta.dirname, '../support/faulty-ingest-process.ts'));
  const [{ rtmpURL }] = (await once(ingest, 'message')) as [{ rtmpURL: string }];
  const dataFolder = join(folder.path, 'data');
  const run = await startLocalRun(dataFolder, '--no-demo');
  try {
    const streams = await startStreams(run, clips.items[0]!.objectKey, rtmpURL);
    const lookedAt = join(dataFolder, 'objects/objects/previews');
    const piecesThere = async () => (await readdir(lookedAt, { recursive: true }).catch(() => [])).length;
    console.log(`${streams.length} prepared streams at 720p30, of ${users} users; percent of a core`);
    await phase('nobody looks', run, ingest);
    console.log(`    ${await piecesThere()} objects of previews`);
    const closing = new AbortController();
    const looking = streams.map(async ({ api, id }, index) => {
      await setTimeout((index / streams.length) * arrivingMs);
      return openPreview(api, id, closing.signal);
    });
    await phase(`${streams.length} previews are open`, run, ingest);
    closing.abort();
    printViewers(await Promise.all(looking));
    console.log(`    ${await piecesThere()} objects of previews`);
    await phase('nobody looks any more', run, ingest);
    console.log(`    ${await piecesThere()} objects of previews`);
  } finally {
    await run.interrupt();
    ingest.disconnect();
    await folder.remove();
  }
}

async function startStreams(run: LocalRun, clip: string, rtmpURL: string): Promise<Stream[]> {
  const pool = createPool({ connectionString: run.connection.databaseURL, max: 1 });
  const streams: Stream[] = [];
  for (let user = 0; user < users; user++) {
    const [userID, apiKey] = [`usr_${user}`, `${apiKeyPrefix}user${user}`];
    const data = databaseOn(pool);
    await data.users.ensureUser({ id: userID, email: `user${user}@example.com`, name: 'viewer' });
    await data.users.ensureKey({
      id: `key_${user}`,
      userID,
      name: 'x',
      keySha256: hashApiKey(apiKey),
      keyStart: `lss_${user}`,
    });
    const grant = { type: 'adjustment', method: 'grant', cost: 0, credits: 1e6 } as const;
    await data.invoices.ensurePaid({ id: `inv_${user}`, userID, ...grant });
    const api = apiClient({ ...run.connection, apiKey });
    const videoUploadObjectID = await uploadFile(api, clip, 'video/mp4');
    for (let index = 0; index < streamsOfUser; index++) {
      const target = { name: 'ingest', rtmpURL, streamKey: `user${user}key${index}` };
      const destinationID = (await api('POST', '/destinations', target)).id;
      const { quality, framerate } = format;
      const settings = { quality, framerate, streamBackend: 'manifest', videoUploadObjectID, destinationID };
      streams.push({ api, id: (await api('POST', '/streams', settings)).id });
    }
  }
  for (const { api, id } of streams) await api('POST', `/streams/${id}/start`);
  const active = `select count(*)::int as count from streams where state = 'active'`;
  await until(async () => (await pool.query<{ count: number }>(active)).rows[0]!.count === streams.length);
  await pool.end();
  return streams;
}

/** Counts frames and processor time during one phase. */
async function phase(name: string, run: LocalRun, ingest: ChildProcess): Promise<void> {
  const agents = (await nodeProcessesOf(run.process.pid!)).map(({ pid }) => pid);
  const all = (await descendantsOf(run.process.pid!)).map(({ pid }) => pid);
  const groups = {
    agents,
    'API, jobs and objects': [run.process.pid!],
    Postgres: all.filter((pid) => !agents.includes(pid)),
  };
  const timesOf = (pids: readonly number[]) => Promise.all(pids.map(cpuNanoseconds));
  const before = await Promise.all(Object.values(groups).map(timesOf));
  const factsBefore = await factsOf(ingest);
  await setTimeout(phaseSeconds * 1000);
  const factsAfter = await factsOf(ingest);
  const after = await Promise.all(Object.values(groups).map(timesOf));
  const percents = Object.keys(groups).map((group, index) => {
    const used = after[index]!.reduce((sum, time, each) => sum + Math.max(0, time - before[index]![each]!), 0);
    return `${group} ${(used / 1e7 / phaseSeconds).toFixed(1)} %`;
  });
  const pictures = [...factsAfter].map(([key, { pictures: now }]) => now - factsBefore.get(key)!.pictures);
  const isBroken = ({ connections }: { connections: number }) => connections > 1;
  const again = [...factsAfter.values()].filter(isBroken).length;
  const lost = [...factsAfter.values()].reduce((sum, each) => sum + each.lost, 0);
  console.log(`  ${name}, ${phaseSeconds} s: ${percents.join(', ')}`);
  console.log(
    `    ${Math.min(...pictures)} to ${Math.max(...pictures)} pictures arrived of each stream; since it began, ` +
      `${lost} are missing of all, and ${again} streams connected again`,
  );
}

/** For each stream: the number of received pictures, and of missing pictures before the last one. */
async function factsOf(ingest: ChildProcess) {
  ingest.send('figures');
  const [{ keys }] = (await once(ingest, 'message')) as [{ keys: [string, KeyFacts][] }];
  return new Map(
    keys.map(([key, { publications }]) => {
      const { pictures, timestampMs } = publications.at(-1)!;
      const lost = Math.round((timestampMs * framesPerSecond) / 1000) + 1 - pictures;
      return [key, { pictures, lost, connections: publications.length }];
    }),
  );
}

function printViewers(viewers: readonly ViewerFigures[]): void {
  const spread = (values: readonly number[]) => {
    const sorted = values.toSorted((a, b) => a - b);
    const at = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? NaN);
    return `p50 ${at(0.5)}, p99 ${at(0.99)}, at most ${at(1)} ms`;
  };
  const sum = (name: 'pieces' | 'missing' | 'failures' | 'bytes') =>
    viewers.reduce((total, each) => total + each[name], 0);
  console.log(`    a picture after ${spread(viewers.map(({ startedAfterMs }) => startedAfterMs))}`);
  console.log(`    then what is shown was sent before ${spread(viewers.flatMap(({ behindMs }) => behindMs))}`);
  console.log(`    playlists after ${spread(viewers.flatMap(({ playlistMs }) => playlistMs))}`);
  console.log(
    `    ${sum('pieces')} pieces of ${(sum('bytes') / 1e6).toFixed(0)} MB, ` +
      `${sum('missing')} missing, ${sum('failures')} requests failed`,
  );
}

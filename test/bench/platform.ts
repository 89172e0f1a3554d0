// The cost of the whole platform for prepared streams, seen from outside: a real `npm start`, used through its API.
// `STREAMS=1000 INGEST=discarding MEASURED_SECONDS=300 npm run bench -- platform` sends other numbers of streams to a
// server that discards media, for longer; `AGENTS=2` uses two sending processes.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createPool } from '../../lambda/data/shared/queryable.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { startNginxIngest } from '../support/ingests.ts';
import { startLocalRun, temporaryDataFolder, uploadFile } from '../support/local-run.ts';
import type { LocalRun } from '../support/local-run.ts';
import { descendantsOf, nodeProcessesOf } from '../support/processes.ts';
import type { BarePublishing } from './bare-publisher.ts';
import { prepareClips } from './clips.ts';
import type { IngestPorts } from './discarding-ingest.ts';
import { cpuNanoseconds, pssMiB } from './process-figures.ts';

const streams = Number(process.env['STREAMS'] ?? 300);
const seconds = Number(process.env['MEASURED_SECONDS'] ?? 30);
const agents = process.env['AGENTS'] ?? '1';
/** Duration of the measurement of the peers and of an idle agent. */
const peerSeconds = Math.min(seconds, 30);
/** Time for a new process to collect its garbage and to compile its hot code. */
const idleSeconds = 30;
/** Warm-up: streams run for days, so compiling and start-up garbage are not their cost. Peers get it too. */
const warmUpSeconds = 60;
const peers = 10;
const activeWithinSeconds = 60;
const format = { quality: 'q_720p', framerate: 'f_30', videoCodec: 'h264' } as const;

interface BenchIngest extends Disposable {
  readonly rtmpURL: string;
  readonly pid: number;
}

export async function platformBench(): Promise<void> {
  const folder = await temporaryDataFolder();
  const clipFolder = join(folder.path, 'clips');
  await mkdir(clipFolder);
  const clips = await prepareClips(clipFolder, format, [20]);
  using ingest = await startIngest(folder.path);
  const run = await startLocalRun(join(folder.path, 'data'), '--no-demo', '--agents', agents);
  try {
    console.log(`${streams} prepared streams at 720p30, ${seconds} s each, in percent of a core`);
    await setTimeout(idleSeconds * 1000);
    const idle = await measure(await agentPids(run), peerSeconds);
    console.log(`  idle: agents ${idle.toFixed(2)} %`);
    const ids = await makeStreams(run, clips.items[0]!.objectKey, ingest.rtmpURL);
    const startedMs = performance.now();
    for (const id of ids) await run.api('POST', `/streams/${id}/start`);
    const lastStartMs = performance.now();
    await untilActive(run, ids.length);
    const activeSeconds = (performance.now() - lastStartMs) / 1000;
    const startSeconds = (lastStartMs - startedMs) / 1000;
    console.log(
      `  started in ${startSeconds.toFixed(0)} s, all active ${activeSeconds.toFixed(1)} s after the last start`,
    );
    await setTimeout(warmUpSeconds * 1000);
    const ours = await measurePlatform(run, ingest);
    await printFigures(run);
    for (const id of ids) await run.api('POST', `/streams/${id}/stop`);
    await run.interrupt();
    const bare = await measureBare(ingest, await segmentIn(clipFolder), startSeconds);
    const copy = await measureCopies(ingest, clips.listPath);
    console.log(`  bare Node sockets          ${perStream(bare, streams)}`);
    console.log(`  ffmpeg -c copy             ${perStream(copy, peers)}`);
    const times = copy / peers / (ours / streams);
    console.log(`  agents: ${times.toFixed(1)} times less than ffmpeg, ${(ours / bare).toFixed(2)} times bare sockets`);
  } finally {
    await run.interrupt();
    await folder.remove();
  }
}

async function startIngest(folder: string): Promise<BenchIngest> {
  const nginx =
    process.env['INGEST'] === 'discarding' ? null : await startNginxIngest({ recordFolder: folder, records: false });
  if (nginx) return { rtmpURL: nginx.target.url, pid: nginx.pid, [Symbol.dispose]: () => nginx[Symbol.dispose]() };
  console.log('to a server that drops what comes');
  const child = fork(join(import.meta.dirname, 'discarding-ingest.ts'));
  child.send({});
  const [ports] = (await once(child, 'message')) as [IngestPorts];
  return { rtmpURL: `rtmp://127.0.0.1:${ports.rtmp}/live`, pid: child.pid!, [Symbol.dispose]: () => child.kill() };
}

async function makeStreams({ api }: LocalRun, clip: string, rtmpURL: string): Promise<string[]> {
  const uploadID = await uploadFile(api, clip, 'video/mp4');
  const ids = [];
  for (let index = 0; index < streams; index++) {
    const destination = await api('POST', '/destinations', { name: 'ingest', rtmpURL, streamKey: `key${index}` });
    const { quality, framerate } = format;
    const settings = { quality, framerate, streamBackend: 'manifest', videoUploadObjectID: uploadID };
    ids.push((await api('POST', '/streams', { ...settings, destinationID: destination.id })).id);
  }
  return ids;
}

async function untilActive(run: LocalRun, count: number): Promise<void> {
  const states = async () =>
    query(run, 'select state, state_reason, count(*)::int from streams group by 1, 2 order by 3 desc');
  const deadline = Date.now() + activeWithinSeconds * 1000;
  for (;;) {
    const rows = await states();
    if (rows.some((row) => row['state'] === 'active' && row['count'] === count)) return;
    if (Date.now() > deadline) throw new Error(`not all active: ${JSON.stringify(rows)}`);
    await setTimeout(100);
  }
}

/** @returns the agents' use in percent of a core */
async function measurePlatform(run: LocalRun, ingest: BenchIngest): Promise<number> {
  const agentIDs = await agentPids(run);
  const all = (await descendantsOf(run.process.pid!)).map(({ pid }) => pid).filter((pid) => !agentIDs.includes(pid));
  const [ours, rest, platform, server] = await Promise.all([
    measure(agentIDs, seconds),
    measure(all, seconds),
    measure([run.process.pid!], seconds),
    measure([ingest.pid], seconds),
  ]);
  const memory = (await Promise.all(agentIDs.map(pssMiB))).reduce((sum, each) => sum + each, 0);
  console.log(`  the platform: agents       ${perStream(ours, streams)}, ${memory.toFixed(0)} MiB`);
  console.log(
    `    Postgres ${rest.toFixed(1)} %, API and jobs ${platform.toFixed(1)} %, the ingest ${server.toFixed(1)} %`,
  );
  return ours;
}

async function printFigures(run: LocalRun): Promise<void> {
  const lines = await query(run, 'select lines from agent_figures');
  const all = lines.flatMap((row) => String(row['lines']).trim().split('\n'));
  const stats = all.map((line) => JSON.parse(line.slice(line.indexOf(' ') + 1)) as Record<string, number>);
  const dropped = stats.reduce((sum, each) => sum + each['droppedFrames']!, 0);
  const slowest = Math.min(...stats.map((each) => each['framesPerSecond']!));
  const held = await query(run, 'select count(*)::int from replicas where agent_id is not null group by agent_id');
  const spread = held.map(({ count }) => String(count)).join(' and ');
  console.log(`    ${dropped} frames dropped, the slowest stream has ${slowest} frames per second`);
  if (held.length > 1) console.log(`    the agents hold ${spread} streams`);
}

async function measureBare(ingest: BenchIngest, segment: string, spreadSeconds: number): Promise<number> {
  const child = fork(join(import.meta.dirname, 'bare-publisher.ts'));
  child.send({ streams, rtmpURL: ingest.rtmpURL, segment, spreadSeconds } satisfies BarePublishing);
  await once(child, 'message');
  await setTimeout(warmUpSeconds * 1000);
  const used = await measure([child.pid!], peerSeconds);
  child.disconnect();
  await once(child, 'exit');
  return used;
}

async function measureCopies(ingest: BenchIngest, listPath: string): Promise<number> {
  const { ffmpegPath } = await findMediaTools(process.env);
  const input = ['-nostdin', '-v', 'fatal', '-re', '-stream_loop', '-1', '-f', 'concat', '-safe', '0', '-i', listPath];
  const children = Array.from({ length: peers }, (_, index) =>
    spawn(ffmpegPath, [...input, '-c', 'copy', '-f', 'flv', `${ingest.rtmpURL}/peer${index}`], { stdio: 'ignore' }),
  );
  try {
    await setTimeout(warmUpSeconds * 1000);
    return await measure(
      children.map(({ pid }) => pid!),
      peerSeconds,
    );
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}

/** The use of all processes together, in percent of a core. */
async function measure(pids: readonly number[], forSeconds: number): Promise<number> {
  const times = () => Promise.all(pids.map(cpuNanoseconds));
  const before = await times();
  await setTimeout(forSeconds * 1000);
  // A process that has ended meanwhile counts as zero.
  const used = (await times()).map((after, index) => Math.max(0, after - before[index]!));
  return used.reduce((sum, each) => sum + each, 0) / 1e7 / forSeconds;
}

async function agentPids(run: LocalRun): Promise<number[]> {
  return (await nodeProcessesOf(run.process.pid!)).map(({ pid }) => pid);
}

async function segmentIn(folder: string): Promise<string> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const segment = files.find((file) => file.isFile() && file.parentPath.includes('renditions'))!;
  return join(segment.parentPath, segment.name);
}

async function query({ connection }: LocalRun, sql: string): Promise<Record<string, unknown>[]> {
  const pool = createPool({ connectionString: connection.databaseURL, max: 1 });
  try {
    return (await pool.query(sql)).rows as Record<string, unknown>[];
  } finally {
    await pool.end();
  }
}

function perStream(percent: number, count: number): string {
  return `${percent.toFixed(2).padStart(7)} %, ${(percent / count).toFixed(4)} % a stream`;
}

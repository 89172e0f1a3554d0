// Streams of a real `npm start` that begin together, by few publishers and by many, seen at the ingest.
// `HOUR_AGENTS=2,12,40 HOUR_STREAMS=200 npm run bench -- hour` selects their numbers.
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { startLocalRun, temporaryDataFolder, until, uploadFile } from '../support/local-run.ts';
import type { LocalRun } from '../support/local-run.ts';
import { descendantsOf, nodeProcessesOf } from '../support/processes.ts';
import { prepareClips } from './clips.ts';
import type { IngestPorts } from './discarding-ingest.ts';
import { cpuNanoseconds } from './process-figures.ts';

const agentCounts = (process.env['HOUR_AGENTS'] ?? '2,12').split(',').map(Number);
const streams = Number(process.env['HOUR_STREAMS'] ?? 200);
/** The calls under way at the same time. */
const callsAtOnce = 20;
/** Time from the schedules until they are due: all of them are set by then. */
const aheadSeconds = 40;
/** Time for new processes to compile their hot code. */
const idleSeconds = 10;
const mostSeconds = 240;
const format = { quality: 'q_720p', framerate: 'f_30' } as const;

/** An ingest that discards media, and reports the first of each publication. */
interface Ingest {
  readonly rtmpURL: string;
  /** Resolves with the last time when this many further publications have sent media, or with null if they do not. */
  media(count: number): Promise<number | null>;
  end(): void;
}

export async function hourBench(): Promise<void> {
  for (const agents of agentCounts) {
    const folder = await temporaryDataFolder();
    const clipFolder = join(folder.path, 'clips');
    await mkdir(clipFolder);
    const clips = await prepareClips(clipFolder, { ...format, videoCodec: 'h264' }, [20]);
    const ingest = await startIngest();
    const run = await startLocalRun(join(folder.path, 'data'), '--no-demo', '--agents', String(agents));
    try {
      const ids = await makeStreams(run, clips.items[0]!.objectKey, ingest.rtmpURL);
      await setTimeout(idleSeconds * 1000);
      await atOneSecond(run, ingest, ids, agents);
      await byHand(run, ingest, ids, agents);
    } finally {
      await run.interrupt();
      ingest.end();
      await folder.remove();
    }
  }
}

async function atOneSecond(run: LocalRun, ingest: Ingest, ids: readonly string[], agents: number): Promise<void> {
  const startAtMs = Math.ceil(Date.now() / 1000 + aheadSeconds) * 1000;
  const times = [startAtMs, startAtMs + 3_600_000].map((ms) => new Date(ms).toISOString());
  const [scheduleStartAt, scheduleEndAt] = times;
  const media = ingest.media(ids.length);
  const refused = await callAll(ids, (id) =>
    run.api('POST', `/streams/${id}/schedule`, { scheduleStartAt, scheduleEndAt }),
  );
  await setTimeout(Math.max(0, startAtMs - 500 - Date.now()));
  const used = await processorTimes(run);
  const lastMs = await media;
  console.log(
    `${ids.length} prepared streams at one second, ${agents} publishers: ${lastPicture(lastMs, startAtMs)}, ` +
      `${refused} refused`,
  );
  printUse(used, await processorTimes(run), ids.length);
  await stopAll(run, ids);
}

async function byHand(run: LocalRun, ingest: Ingest, ids: readonly string[], agents: number): Promise<void> {
  const media = ingest.media(ids.length);
  const used = await processorTimes(run);
  const beganMs = Date.now();
  const refused = await callAll(ids, (id) => run.api('POST', `/streams/${id}/start`));
  const calledSeconds = (Date.now() - beganMs) / 1000;
  const lastMs = await media;
  console.log(
    `by hand, ${callsAtOnce} at once, ${agents} publishers: ${lastPicture(lastMs, beganMs)}, ` +
      `calls for ${calledSeconds.toFixed(1)} s, ${refused} refused`,
  );
  printUse(used, await processorTimes(run), ids.length);
  await stopAll(run, ids);
}

function lastPicture(lastMs: number | null, fromMs: number): string {
  return lastMs === null ? 'not all' : `the last picture after ${((lastMs - fromMs) / 1000).toFixed(1)} s`;
}

function printUse(before: ProcessorTimes, after: ProcessorTimes, starts: number): void {
  const each = (of: keyof ProcessorTimes) => `${((after[of] - before[of]) / starts).toFixed(0)} ms`;
  console.log(`  a start: Postgres ${each('postgres')}, agents ${each('agents')}, the API ${each('site')}`);
}

async function stopAll(run: LocalRun, ids: readonly string[]): Promise<void> {
  const refused = await callAll(ids, (id) => run.api('POST', `/streams/${id}/stop`));
  await until(async () => {
    const states = await Promise.all(ids.map(async (id) => (await run.api('GET', `/streams/${id}`)).state as string));
    return states.every((state) => state === 'stopped');
  });
  console.log(`  stops: ${refused} refused, all done`);
}

/** Calls for each stream, some at the same time. @returns the number of calls that failed; they are printed */
async function callAll(ids: readonly string[], call: (id: string) => Promise<unknown>): Promise<number> {
  const left = [...ids];
  let refused = 0;
  const callNext = async () => {
    for (let id = left.shift(); id !== undefined; id = left.shift())
      await call(id).catch((error: unknown) => {
        refused += 1;
        console.log(`  ${String(error).slice(0, 200)}`);
      });
  };
  await Promise.all(Array.from({ length: callsAtOnce }, callNext));
  return refused;
}

async function makeStreams({ api }: LocalRun, clip: string, rtmpURL: string): Promise<string[]> {
  const uploadID = await uploadFile(api, clip, 'video/mp4');
  const settings = { ...format, streamBackend: 'manifest', videoUploadObjectID: uploadID };
  const ids: string[] = [];
  for (let index = 0; index < streams; index++) {
    const destination = await api('POST', '/destinations', { name: 'ingest', rtmpURL, streamKey: `key${index}` });
    ids.push((await api('POST', '/streams', { ...settings, destinationID: destination.id })).id as string);
  }
  // The first run prepares the upload.
  await api('POST', `/streams/${ids[0]}/start`);
  await until(async () => (await api('GET', `/streams/${ids[0]}`)).state === 'active');
  await api('POST', `/streams/${ids[0]}/stop`);
  await until(async () => (await api('GET', `/streams/${ids[0]}`)).state === 'stopped');
  return ids;
}

async function startIngest(): Promise<Ingest> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'discarding-ingest.ts'));
  child.send({});
  const [ports] = (await once(child, 'message')) as [IngestPorts];
  return {
    rtmpURL: `rtmp://127.0.0.1:${ports.rtmp}/live`,
    media: (count) => {
      const all = Promise.withResolvers<number | null>();
      let left = count;
      const countOne = ({ firstMediaAtMs }: { firstMediaAtMs: number }) => {
        left--;
        if (left === 0) all.resolve(firstMediaAtMs);
      };
      child.on('message', countOne);
      const timeout = globalThis.setTimeout(() => all.resolve(null), mostSeconds * 1000);
      return all.promise.finally(() => {
        clearTimeout(timeout);
        child.off('message', countOne);
      });
    },
    end: () => child.kill(),
  };
}

/** The processor time of a run in milliseconds, by its processes. */
type ProcessorTimes = Readonly<Record<'postgres' | 'agents' | 'site', number>>;

async function processorTimes(run: LocalRun): Promise<ProcessorTimes> {
  const agents = (await nodeProcessesOf(run.process.pid!)).map(({ pid }) => pid);
  const others = (await descendantsOf(run.process.pid!)).map(({ pid }) => pid).filter((pid) => !agents.includes(pid));
  const sum = async (pids: readonly number[]) =>
    (await Promise.all(pids.map(cpuNanoseconds))).reduce((all, each) => all + each, 0) / 1e6;
  return { postgres: await sum(others), agents: await sum(agents), site: await sum([run.process.pid!]) };
}

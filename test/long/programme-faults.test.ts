// A programme on the air under faults: each recorded frame is that of the timeline, as it was simulated before.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { streamBackends } from '../../lambda/domain/streams/stream-words.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { whilePostgresIsStopped } from '../support/database-outage.ts';
import { untilActive } from '../support/local-run.ts';
import { nodeProcessesOf } from '../support/processes.ts';
import {
  firstFullMinute,
  format,
  insertEvery,
  makeCollections,
  publishProgramme,
  simulationOf,
  skipTwice,
  textOf,
  timelineOf,
  uploadClips,
  untilTime,
} from '../support/programme-on-air.ts';
import type { Clips, Collections, Row } from '../support/programme-on-air.ts';
import {
  acknowledgedFrames,
  compareRun,
  framesPerSecond,
  framesSince,
  packetsByPlace,
} from '../support/recorded-frames.ts';
import type { RecordedRun } from '../support/recorded-frames.ts';
import { startRecordingFront } from '../support/recording-front.ts';
import type { RecordingFront } from '../support/recording-front.ts';
import { testLocalRun } from '../support/test-local-run.ts';

/** Seconds from the scheduled start. The hard block is over before the first edit. */
const schedule = { killed: [25, 85], away: 120, back: 180, skipped: 205, edited: 240, killedLast: 250, end: 300 };
/** The hard block begins in a full minute, this many seconds after the start or later. */
const leastBeforeBlock = 70;
/** An item that would be cut off leaves its time to filler if fewer seconds are left. */
const fillerSeconds = 20;
/** Share of its frames that each replica has to deliver: three kills may cost ten seconds each. */
const leastRecorded = 0.9;

/** A stream that waits for its start. */
interface Scheduled {
  readonly streamID: string;
  readonly programmeID: string;
  /** That of the primary, and with prepared media that of the backup. */
  readonly fronts: readonly RecordingFront[];
  /** Simulated and planned before the start, from the scheduled time on. */
  readonly simulatedBefore: readonly Row[];
  readonly plannedBefore: readonly Row[];
}

/** The simulations of a stream on the air, and the row that was then skipped, twice. */
interface Skipped {
  /** From the scheduled time on. */
  readonly simulatedAgain: readonly Row[];
  /** From the first frame on. */
  readonly simulated: readonly Row[];
  readonly skipped: Row;
}

interface Aired extends Scheduled, Skipped {
  /** The timeline at the end. */
  readonly rows: readonly Row[];
  /** One for each front. */
  readonly runs: readonly RecordedRun[];
}

describe('a programme on the air under faults', { timeout: 600_000 }, () => {
  const run = testLocalRun('--no-demo', '--agents', '2');
  let tools: MediaTools;
  let folder: string;
  let clipOf: Clips;
  let startAt: Date;
  let hardStart: Date;
  let editedAtMs: number;
  const scheduled = new Map<string, Scheduled>();
  const airedBy = new Map<string, Aired>();

  beforeAll(async () => {
    tools = await findMediaTools(process.env);
    folder = await mkdtemp(join(tmpdir(), 'programme-faults-'));
    clipOf = await uploadClips(run.api, tools, folder);
    const collections = await makeCollections(run.api);
    startAt = new Date(Date.now() + 10_000);
    hardStart = firstFullMinute(startAt.getTime() + leastBeforeBlock * 1000);
    for (const backend of streamBackends) scheduled.set(backend, await scheduledStream(backend, collections));
    await haveFaults();
  }, 900_000);
  afterAll(async () => {
    for (const { fronts } of scheduled.values()) for (const front of fronts) await front[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  it.each(streamBackends)('plays what was simulated before its start, through faults, with %s', (backend) => {
    const { simulatedBefore, plannedBefore, simulatedAgain, simulated, rows, skipped } = airedBy.get(backend)!;
    // A simulation follows from its beginning, not from the time at which it is made, and a guide shows the same.
    expect(textOf(simulatedAgain)).toBe(textOf(simulatedBefore));
    expect(plannedBefore.length).toBeGreaterThan(10);
    expect(textOf(plannedBefore)).toBe(textOf(simulatedBefore.slice(0, plannedBefore.length)));
    // The millisecond of the first frame is known after the start. All times lie on its grid, and the filler before the
    // hard block depends on it; the choices until then do not.
    const delayMs = Date.parse(rows[0]!.startAt) - startAt.getTime();
    const fillerMs = hardStart.getTime() - fillerSeconds * 1000 - delayMs;
    const early = simulatedBefore.filter(({ endAt }) => Date.parse(endAt) < fillerMs).length;
    expect(early).toBeGreaterThan(3);
    expect(textOf(rows.slice(0, early), 'choice')).toBe(textOf(simulatedBefore.slice(0, early), 'choice'));
    // From the first frame on, until the first edit, all columns are equal byte for byte.
    const edited = rows.findIndex((row) => row.startAt === skipped.startAt);
    expect(edited).toBeGreaterThan(25);
    expect(textOf(rows.slice(0, edited))).toBe(textOf(simulated.slice(0, edited)));
    expect(rows[edited]!.uploadID).toBe(simulated[edited + 1]!.uploadID);
    console.log(
      `${backend}: ${edited} rows as simulated, the first ${early} also before the start, ${delayMs} ms late`,
    );
  });

  it.each(streamBackends)('has the inserts of the edit from soon after it, with %s', (backend) => {
    const later = airedBy.get(backend)!.rows.filter(({ startAt }) => Date.parse(startAt) > editedAtMs + 30_000);
    const kinds = later.map(({ kind }) => kind);
    const from = kinds.indexOf('insert');
    expect(kinds.slice(from, from + 9).join(' ')).toBe('insert item item insert item item insert item item');
  });

  it.each(streamBackends)('sends the colour and the tone of each row over all connections, with %s', (backend) => {
    const { rows, runs } = airedBy.get(backend)!;
    const acknowledged = acknowledgedFrames(rows, clipOf);
    const [frames, tones] = [sumOf(runs, 'frames'), sumOf(runs, 'tones')];
    const total = acknowledged.at(-1)! + 1;
    const shares = runs.map(({ recorded }) => recorded.size / total);
    const originsOf = runs.map(({ connections }) => connections.map(({ origin }) => origin));
    console.log(
      `${backend}: ${frames} frames and ${tones} half seconds compared, ${acknowledged.length} of ${total} frames ` +
        `acknowledged; share recorded by each replica ${shares.map((share) => share.toFixed(3)).join(', ')}; ` +
        `connections from ${originsOf.map((origins) => origins.join(' ')).join('; ')}`,
    );
    expect(runs.flatMap(({ wrong }) => wrong)).toEqual([]);
    // Each acknowledged frame arrived, and acknowledged stretches begin with a connection.
    expect(acknowledged.filter((frame) => !runs.some(({ recorded }) => recorded.has(frame)))).toEqual([]);
    const origins = new Set(originsOf.flat());
    const begins = acknowledged.filter((frame, index) => frame !== acknowledged[index - 1]! + 1);
    expect(begins.filter((frame) => !origins.has(frame))).toEqual([]);
    // Nearly all of the time was acknowledged and recorded, although each replica lost a connection.
    expect(total).toBeGreaterThan((schedule.end - 30) * framesPerSecond);
    expect(acknowledged.length / total).toBeGreaterThan(leastRecorded);
    expect(Math.min(...shares)).toBeGreaterThan(leastRecorded);
    expect(tones).toBeGreaterThan(schedule.end);
    expect(runs.filter(({ connections }) => connections.length < 2)).toEqual([]);
  });

  it.each(streamBackends)('sends every frame while the database is away, with %s', (backend) => {
    const { rows, runs } = airedBy.get(backend)!;
    const frameOf = framesSince(rows[0]!.startAt);
    const [from, to] = [schedule.away, schedule.back + 15].map((second) => frameOf(startAt.getTime() + second * 1000));
    const frames = Array.from({ length: to! - from! }, (_, index) => from! + index);
    for (const { recorded } of runs) expect(frames.filter((frame) => !recorded.has(frame))).toEqual([]);
  });

  it('sends equal packets from the primary and the backup of prepared media', async () => {
    const [one, other] = airedBy.get('manifest')!.runs;
    const [primary, backup] = [await packetsByPlace(tools, one!), await packetsByPlace(tools, other!)];
    const both = [...backup].filter(([place]) => primary.has(place));
    const pictures = both.filter(([place]) => place.startsWith('picture')).length;
    console.log(`${pictures} pictures and ${both.length - pictures} AAC frames of primary and backup compared`);
    expect(both.filter(([place, hash]) => primary.get(place) !== hash).map(([place]) => place)).toEqual([]);
    expect(pictures).toBeGreaterThan((schedule.end - 60) * framesPerSecond);
    expect(both.length - pictures).toBeGreaterThan(1.4 * pictures);
  });

  async function scheduledStream(backend: string, collections: Collections): Promise<Scheduled> {
    const { api } = run;
    const fronts = [await frontIn(`${backend}-primary`)];
    const isPrepared = backend === 'manifest';
    if (isPrepared) fronts.push(await frontIn('backup'));
    const urls = { ...fronts[0]!.target, ...(isPrepared && { backupURL: fronts[1]!.target.url }) };
    const { id: destinationID } = await api('POST', '/destinations', { name: backend, ...urls });
    const redundancy = { agentModeEnabled: isPrepared, runBackupStream: isPrepared };
    const settings = { ...format, ...redundancy, streamBackend: backend, destinationID };
    const { id: streamID } = await api('POST', '/streams', settings);
    const programmeID = await publishProgramme(api, streamID, collections, hardStart);
    const simulatedBefore = await simulationOf(run, programmeID, startAt.toISOString());
    await api('POST', `/streams/${streamID}/schedule`, { scheduleStartAt: startAt.toISOString() });
    return { streamID, programmeID, fronts, simulatedBefore, plannedBefore: await timelineOf(run, streamID) };
  }

  async function frontIn(name: string): Promise<RecordingFront> {
    const own = join(folder, name);
    await mkdir(own);
    return startRecordingFront(tools, own);
  }

  async function haveFaults(): Promise<void> {
    const { api } = run;
    const streams = [...scheduled];
    const untilSecond = (second: number) => untilTime(startAt.getTime() + second * 1000);
    for (const second of schedule.killed) {
      await untilSecond(second);
      await killOldestAgent();
    }
    await untilSecond(schedule.away);
    for (const [, { streamID }] of streams) await untilActive(api, streamID);
    await whilePostgresIsStopped(run.process.pid!, () => untilSecond(schedule.back));
    await untilSecond(schedule.skipped);
    const skips = await Promise.all(streams.map(([, stream]) => skipOf(stream)));
    await untilSecond(schedule.edited);
    editedAtMs = Date.now();
    for (const [, { programmeID }] of streams) await insertEvery(api, programmeID, 2);
    await untilSecond(schedule.killedLast);
    await killOldestAgent();
    await untilSecond(schedule.end);
    for (const [index, [backend, stream]] of streams.entries())
      airedBy.set(backend, { ...stream, ...skips[index]!, ...(await endOf(stream)) });
  }

  /** Three in a row hit each replica: one that the second agent did not have before has it after the first kill. */
  async function killOldestAgent(): Promise<void> {
    const agents = await nodeProcessesOf(run.process.pid!);
    expect(agents).toHaveLength(2);
    const [oldest] = agents.toSorted((one, other) => Number(one.startTicks) - Number(other.startTicks));
    process.kill(oldest!.pid, 'SIGKILL');
  }

  async function skipOf({ streamID, programmeID }: Scheduled): Promise<Skipped> {
    const [first] = await timelineOf(run, streamID);
    return {
      simulatedAgain: await simulationOf(run, programmeID, startAt.toISOString()),
      simulated: await simulationOf(run, programmeID, first!.startAt),
      skipped: await skipTwice(run, streamID),
    };
  }

  async function endOf({ streamID, fronts }: Scheduled): Promise<Pick<Aired, 'rows' | 'runs'>> {
    const rows = await timelineOf(run, streamID);
    await run.api('POST', `/streams/${streamID}/stop`);
    const runs: RecordedRun[] = [];
    for (const front of fronts) runs.push(await compareRun(tools, await front.finish(), rows, clipOf));
    return { rows, runs };
  }
});

function sumOf(runs: readonly RecordedRun[], figure: 'frames' | 'tones'): number {
  return runs.reduce((sum, run) => sum + run[figure], 0);
}

// A programme on the air, recorded: each frame and tone is that of the row of the timeline, as it was simulated.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { streamBackends } from '../../lambda/domain/streams/stream-words.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { until, untilActive } from '../support/local-run.ts';
import {
  firstFullMinute,
  format,
  insertEvery,
  makeCollections,
  publishProgramme,
  secondsAfterHardStart,
  simulationOf,
  skipTwice,
  textOf,
  timelineOf,
  uploadClips,
  untilTime,
} from '../support/programme-on-air.ts';
import type { Clips, Collections, Row } from '../support/programme-on-air.ts';
import { acknowledgedFrames, compareRun, framesPerSecond, packetsByPlace } from '../support/recorded-frames.ts';
import type { Recording } from '../support/recorded-frames.ts';
import { startRecordingFront } from '../support/recording-front.ts';
import type { RecordingFront } from '../support/recording-front.ts';
import { testLocalRun } from '../support/test-local-run.ts';

/** The timeline of a stream beside its simulation and its recordings. */
interface Aired {
  readonly rows: readonly Row[];
  readonly simulated: readonly Row[];
  /** The row that was skipped, twice. */
  readonly skipped: Row;
  readonly recordings: readonly Recording[];
}

/** The settings of a stream, and the seconds of its crossfades. */
const streams = [
  { name: 'by cuts', look: {}, crossfadeSeconds: 0 },
  { name: 'with crossfades', look: { look: { join: { kind: 'crossfade', seconds: 1 } } }, crossfadeSeconds: 1 },
] as const;

describe.each(streams)('a programme on the air $name', { timeout: 600_000 }, ({ look, crossfadeSeconds }) => {
  const run = testLocalRun('--no-demo', '--agents', '2');
  let tools: MediaTools;
  let folder: string;
  let clipOf: Clips;
  let collections: Collections;
  let hardStart: Date;
  const airedBy = new Map<string, Aired>();
  let paired: Aired & { readonly backup: readonly Recording[] };

  beforeAll(async () => {
    tools = await findMediaTools(process.env);
    folder = await mkdtemp(join(tmpdir(), 'programme-'));
    clipOf = await uploadClips(run.api, tools, folder);
    collections = await makeCollections(run.api);
    hardStart = firstFullMinute(Date.now() + 60_000);
    await Promise.all([
      ...streamBackends.map(async (backend) => void airedBy.set(backend, await airedBackend(backend))),
      airedPair().then((aired) => (paired = aired)),
    ]);
  }, 500_000);
  afterAll(() => rm(folder, { recursive: true }));

  it.each(streamBackends)('sends the colour and the tone of each row, to the frame, with %s', async (backend) => {
    const { rows, recordings } = airedBy.get(backend)!;
    const compared = await compareRun(tools, recordings, rows, clipOf, crossfadeSeconds);
    const { frames, tones, mixed, wrong, recorded } = compared;
    console.log(`${backend}: ${frames} frames, ${mixed} of them mixed, and ${tones} half seconds of sound compared`);
    expect(wrong).toEqual([]);
    // A prepared join that is not ready yet is a cut.
    const joins = backend === 'ffmpeg' ? 5 : 2;
    expect(mixed).toBeGreaterThanOrEqual(crossfadeSeconds * joins * (framesPerSecond - 8));
    const acknowledged = acknowledgedFrames(rows, clipOf);
    expect(acknowledged.filter((frame) => !recorded.has(frame))).toEqual([]);
    const itself = rows.filter(({ aired }) => aired.some(({ standInUploadID }) => standInUploadID === ''));
    expect(itself.length).toBeGreaterThan(15);
    expect(itself.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['item', 'insert', 'filler']));
    expect(acknowledged.length).toBeGreaterThan(secondsAfterHardStart * framesPerSecond);
    expect(tones).toBeGreaterThan(secondsAfterHardStart);
  });

  it.each([...streamBackends, 'pair'])(
    'plays what was simulated, but for a skipped row, and begins the hard block within a frame, with %s',
    (name) => {
      const { rows, simulated, skipped } = name === 'pair' ? paired : airedBy.get(name)!;
      const block = rows.find(({ blockID }) => blockID === 'news')!;
      const lateMs = Date.parse(block.startAt) - hardStart.getTime();
      expect(lateMs).toBeGreaterThanOrEqual(0);
      expect(lateMs).toBeLessThanOrEqual(1000 / framesPerSecond + 1);
      const known = rows.findIndex(({ startAt }) => startAt === skipped.startAt);
      expect(known).toBeGreaterThan(0);
      expect(textOf(rows.slice(0, known))).toBe(textOf(simulated.slice(0, known)));
      // The next row, and no other one, is in the place of the skipped one.
      expect(rows[known]!.uploadID).toBe(simulated[known + 1]!.uploadID);
    },
  );

  it('sends equal packets from a primary and a backup, through inserts, a skip, an edit and a hard start', async () => {
    const { rows, recordings, backup } = paired;
    const [one, other] = [
      await compareRun(tools, recordings, rows, clipOf, crossfadeSeconds),
      await compareRun(tools, backup, rows, clipOf, crossfadeSeconds),
    ];
    expect([...one.wrong, ...other.wrong]).toEqual([]);
    const [first, second] = [await packetsByPlace(tools, one), await packetsByPlace(tools, other)];
    const both = [...second].filter(([place]) => first.has(place));
    const pictures = both.filter(([place]) => place.startsWith('picture')).length;
    console.log(`${pictures} pictures and ${both.length - pictures} AAC frames compared`);
    expect(both.filter(([place, hash]) => first.get(place) !== hash).map(([place]) => place)).toEqual([]);
    expect(pictures).toBeGreaterThan(0.9 * one.recorded.size);
    expect(both.length - pictures).toBeGreaterThan(1.4 * pictures);
  });

  async function frontIn(name: string): Promise<RecordingFront> {
    const own = join(folder, name);
    await mkdir(own);
    return startRecordingFront(tools, own);
  }

  async function airedBackend(backend: string): Promise<Aired> {
    await using front = await frontIn(backend);
    const destination = await run.api('POST', '/destinations', { name: backend, ...front.target });
    const aired = await airedStream({ streamBackend: backend, destinationID: destination.id });
    return { ...aired, recordings: await front.finish() };
  }

  /** A prepared stream that two agents send, each to an ingest of its own. */
  async function airedPair(): Promise<typeof paired> {
    await using primary = await frontIn('primary');
    await using backup = await frontIn('backup');
    const urls = { ...primary.target, backupURL: backup.target.url };
    const { id: destinationID } = await run.api('POST', '/destinations', { name: 'pair', ...urls });
    const both = { agentModeEnabled: true, runBackupStream: true };
    const aired = await airedStream({ streamBackend: 'manifest', destinationID, ...both });
    return { ...aired, recordings: await primary.finish(), backup: await backup.finish() };
  }

  /** Plays until the hard block is over, with a skip before it and an edit in it. */
  async function airedStream(settings: object): Promise<Omit<Aired, 'recordings'>> {
    const { api } = run;
    const { id: streamID } = await api('POST', '/streams', { ...format, ...look, ...settings });
    const programmeID = await publishProgramme(api, streamID, collections, hardStart);
    await api('POST', `/streams/${streamID}/start`);
    await untilActive(api, streamID);
    await until(async () => (await api('GET', `/programmes/${programmeID}`)).plannedUntil !== null);
    const [first] = await timelineOf(run, streamID);
    const simulated = await simulationOf(run, programmeID, first!.startAt);
    const skipped = await skipTwice(run, streamID);
    await untilTime(hardStart.getTime() + 5000);
    await insertEvery(api, programmeID, 2);
    await untilTime(hardStart.getTime() + secondsAfterHardStart * 1000);
    const rows = await timelineOf(run, streamID);
    await api('POST', `/streams/${streamID}/stop`);
    return { rows, simulated, skipped };
  }
});

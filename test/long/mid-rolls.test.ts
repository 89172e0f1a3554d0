// A film with a break on the air, recorded: each picture tells its file and its frame, also after a takeover.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { streamBackends } from '../../lambda/domain/streams/stream-words.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { makeBarcodeClip, readBarcodes } from '../support/barcode-clip.ts';
import type { BarcodeFrame } from '../support/barcode-clip.ts';
import { samplesOf, toneAt } from '../support/colour-clip.ts';
import { createLoop, until, untilActive, uploadFile } from '../support/local-run.ts';
import { nodeProcessesOf } from '../support/processes.ts';
import { format, untilTime } from '../support/programme-on-air.ts';
import { framesPerSecond, framesSince } from '../support/recorded-frames.ts';
import type { Recording } from '../support/recorded-frames.ts';
import { startRecordingFront } from '../support/recording-front.ts';
import { testLocalRun } from '../support/test-local-run.ts';

/** The clips by their numbers, which their pictures tell. Clip 0 is the film. */
const clips = [
  { name: 'Film', seconds: 130 },
  { name: 'Intro', seconds: 2 },
  { name: 'Sponsor 0', seconds: 4 },
  { name: 'Sponsor 1', seconds: 5 },
  { name: 'Outro', seconds: 3 },
] as const;
/** The film has its break after a minute. The break lasts 14 s. */
const schedule = { killed: [84, 98], end: 125 } as const;
/** Frames around a half second that play the same row, too: sound has a grid of its own. */
const margin = 5;
/** Frames before and after an estimated one, among which the first one of a recording is looked for. */
const searchedFrames = 6 * framesPerSecond;

interface Row {
  readonly startAt: string;
  readonly endAt: string;
  readonly uploadID: string;
  readonly fromSeconds: number;
  readonly aired: readonly { readonly standInUploadID: string | null }[] | null;
}

interface Aired {
  readonly rows: readonly Row[];
  readonly recordings: readonly Recording[];
}

describe('a film with a break on the air', { timeout: 600_000 }, () => {
  const run = testLocalRun('--no-demo', '--agents', '2');
  let tools: MediaTools;
  let folder: string;
  let uploads: string[];
  const airedBy = new Map<string, Aired>();

  beforeAll(async () => {
    tools = await findMediaTools(process.env);
    folder = await mkdtemp(join(tmpdir(), 'mid-rolls-'));
    uploads = [];
    for (const [number, { name, seconds }] of clips.entries()) {
      const path = await makeBarcodeClip(tools, join(folder, `${number}.mp4`), number, seconds);
      const id = await uploadFile(run.api, path, 'video/mp4');
      await run.api('PATCH', `/uploads/${id}`, { name, folder: name.split(' ')[0] });
      uploads.push(id);
    }
    await untilPrepared();
    const killing = Promise.withResolvers<number>();
    const airing = streamBackends.map(
      async (backend) => void airedBy.set(backend, await airedBackend(backend, killing)),
    );
    await Promise.all([...airing, killing.promise.then(killAgents)]);
  }, 900_000);
  afterAll(() => rm(folder, { recursive: true }));

  it.each(streamBackends)(
    'shows each frame of the film once, in order, on both sides of the break, with %s',
    async (backend) => {
      const { rows, recordings } = airedBy.get(backend)!;
      const numbers = rows.map(({ uploadID }) => uploads.indexOf(uploadID)).slice(0, 6);
      expect([numbers, rows[5]!.fromSeconds]).toEqual([[0, 1, 2, 3, 4, 0], 60]);
      const wanted = wantedFrames(rows);
      const shown = new Set<number>();
      let tones = 0;
      const wrong: string[] = [];
      for (const recording of recordings) {
        // Pictures that are shown before the last ones are sent after them, so a connection that ends lacks some.
        const frames = (await readBarcodes(tools, recording.file)).slice(0, -4);
        const origin = originOf(frames, framesSince(rows[0]!.startAt)(recording.beganAtMs), wanted);
        for (const [index, frame] of frames.entries()) {
          shown.add(origin + index);
          if (textOf(frame) !== textOf(wanted[origin + index]))
            wrong.push(`frame ${origin + index} is ${textOf(frame)} in place of ${textOf(wanted[origin + index])}`);
        }
        const heard = await wrongTones(recording.file, origin, frames.length, wanted);
        tones += heard.tones;
        wrong.push(...heard.wrong);
      }
      const ofSecondPart = [...shown].filter((frame) => frame >= 74 * framesPerSecond).length;
      const counted = [`${shown.size} frames`, `${ofSecondPart} of the second part`, `${tones} half seconds of sound`];
      console.log(`${backend}: ${counted.join(', ')} over ${recordings.length} connections`);
      expect(wrong).toEqual([]);
      for (const second of [60, 74]) {
        // No picture is missing at the beginning and at the end of the break.
        const around = Array.from({ length: 120 }, (_, index) => second * framesPerSecond - 60 + index);
        expect(around.filter((frame) => !shown.has(frame))).toEqual([]);
      }
      expect(recordings.length).toBeGreaterThan(1);
      expect(ofSecondPart).toBeGreaterThan(25 * framesPerSecond);
      expect(tones).toBeGreaterThan(100);
      expect(
        rows.flatMap(({ aired }) => aired ?? []).filter(({ standInUploadID }) => standInUploadID !== null),
      ).toEqual([]);
    },
  );

  async function untilPrepared(): Promise<void> {
    const target = { rtmpURL: 'rtmp://127.0.0.1/never-started', streamKey: 'none' };
    const id = await createLoop(run.api, uploads, target, { ...format, streamBackend: 'manifest' });
    const { playlistIDs } = await run.api('GET', `/streams/${id}`);
    await run.api('PATCH', `/streams/${id}`, { preparedPlaylistIDs: playlistIDs });
    for (let share = 0; share < 1;) {
      const before = share;
      await until(async () => (share = (await run.api('GET', `/streams/${id}`)).preparedShare) > before);
    }
  }

  async function airedBackend(backend: string, killing: PromiseWithResolvers<number>): Promise<Aired> {
    const { api } = run;
    const own = join(folder, backend);
    await mkdir(own);
    await using front = await startRecordingFront(tools, own);
    const { id: destinationID } = await api('POST', '/destinations', { name: backend, ...front.target });
    const { id: streamID } = await api('POST', '/streams', { ...format, streamBackend: backend, destinationID });
    await publishProgramme(streamID);
    await api('POST', `/streams/${streamID}/start`);
    await untilActive(api, streamID);
    const [{ startAt }] = await rowsOf(streamID);
    const beganMs = Date.parse(startAt);
    killing.resolve(beganMs);
    await untilTime(beganMs + schedule.end * 1000);
    const rows = await rowsOf(streamID);
    await api('POST', `/streams/${streamID}/stop`);
    return { rows, recordings: await front.finish() };
  }

  async function publishProgramme(streamID: string): Promise<void> {
    const { api } = run;
    const collectionOf = async (name: string) =>
      (await api('POST', '/collections', { name, kind: 'video', source: { folder: name }, order: 'oldest' })).id;
    const [films, sponsors] = [await collectionOf('Film'), await collectionOf('Sponsor')];
    const { id } = await api('POST', '/programmes', { streamID, timeZone: 'UTC' });
    const named = { id: 'sponsor', name: 'Sponsor', collectionID: sponsors, perBreak: 2 };
    const midRoll = { everyMinutes: 1, keepLastMinutes: 1, blockID: null };
    await api('PATCH', `/programmes/${id}`, {
      blocks: [{ id: 'films', name: 'Films', steps: [{ id: 'films', collectionID: films }] }],
      inserts: [{ ...named, midRoll, introUploadID: uploads[1], outroUploadID: uploads[4] }],
    });
    await api('POST', `/programmes/${id}/publish`);
  }

  /** The rows of a stream from its first one on. */
  async function rowsOf(streamID: string): Promise<[Row, ...Row[]]> {
    const [from, to] = [-600_000, 600_000].map((ms) => new Date(Date.now() + ms).toISOString());
    return (await run.api('GET', `/streams/${streamID}/timeline?from=${from}&to=${to}&limit=100`)).data;
  }

  /** Kills each agent in the second part of the film, so that another one takes over there. */
  async function killAgents(beganMs: number): Promise<void> {
    for (const second of schedule.killed) {
      await untilTime(beganMs + second * 1000);
      const agents = await nodeProcessesOf(run.process.pid!);
      const [oldest] = agents.toSorted((one, other) => Number(one.startTicks) - Number(other.startTicks));
      process.kill(oldest!.pid, 'SIGKILL');
    }
  }

  /** The frames that a run has to show, by their numbers. */
  function wantedFrames(rows: readonly Row[]): BarcodeFrame[] {
    const frameOf = framesSince(rows[0]!.startAt);
    return rows.flatMap(({ startAt, endAt, uploadID, fromSeconds }) => {
      const [clip, first] = [uploads.indexOf(uploadID), Math.round(fromSeconds * framesPerSecond)];
      return Array.from({ length: frameOf(endAt) - frameOf(startAt) }, (_, index) => ({ clip, frame: first + index }));
    });
  }

  /** Compares the tone of each half second of a recording that is within one row. */
  async function wrongTones(file: string, origin: number, count: number, wanted: readonly BarcodeFrame[]) {
    const samples = await samplesOf(tools, file);
    const wrong: string[] = [];
    let tones = 0;
    const half = framesPerSecond / 2;
    for (let from = margin; from + half + margin <= count; from += half) {
      const [first, last] = [wanted[origin + from - margin], wanted[origin + from + half + margin - 1]];
      if (!first || !last || first.clip !== last.clip || last.frame - first.frame !== half + 2 * margin - 1) continue;
      tones++;
      const tone = toneAt(samples, from / framesPerSecond);
      if (Math.abs(tone - (300 + 50 * first.clip)) >= 20)
        wrong.push(`frame ${origin + from} sounds at ${tone} Hz in clip ${first.clip}`);
    }
    return { tones, wrong };
  }
});

const textOf = (frame: BarcodeFrame | undefined) => (frame ? `${frame.clip}:${frame.frame}` : 'none');

/** The frame of the run that is the first one of a recording: the one near an estimate with the fewest differences. */
function originOf(frames: readonly BarcodeFrame[], estimate: number, wanted: readonly BarcodeFrame[]): number {
  let best = { origin: estimate, wrong: Infinity };
  for (let origin = Math.max(0, estimate - searchedFrames); origin <= estimate + searchedFrames; origin++) {
    const wrong = frames.filter((frame, index) => textOf(frame) !== textOf(wanted[origin + index])).length;
    if (wrong < best.wrong) best = { origin, wrong };
  }
  return best.origin;
}

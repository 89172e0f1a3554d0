// A programme on the air, recorded: each frame and tone is that of the row of the timeline, as it was simulated.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { streamBackends } from '../../lambda/domain/streams/stream-words.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { coloursOf, makeColourClip, samplesOf, toneAt } from '../support/colour-clip.ts';
import type { Colour, ColourClip } from '../support/colour-clip.ts';
import { startFfmpegIngest } from '../support/ingests.ts';
import type { ApiClient } from '../support/local-run.ts';
import { until, untilActive, uploadFile } from '../support/local-run.ts';
import { testLocalRun } from '../support/test-local-run.ts';

const framesPerSecond = 30;
/** The hard block lasts a minute, and is on the air whole. */
const secondsAfterHardStart = 75;

interface Row {
  readonly startAt: string;
  readonly endAt: string;
  readonly uploadID: string;
  readonly kind: string;
  readonly blockID: string;
  /** Null: it lies in the future. */
  readonly aired: readonly AiredPart[] | null;
}

interface AiredPart {
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly standInUploadID: string | null;
}

/** Twelve songs of three artists, two jingles, two bulletins and three fillers, by folder. */
const clips: readonly (Omit<ColourClip, 'path'> & { readonly name: string; readonly folder: string })[] = [
  ...Array.from({ length: 12 }, (_, index) => ({
    name: `Song ${index}`,
    folder: 'Songs',
    colour: [40 + 18 * index, 200 - 12 * index, index % 2 === 0 ? 30 : 160] as Colour,
    toneHz: 300 + 60 * index,
    seconds: 4 + (index % 6),
  })),
  ...Array.from({ length: 2 }, (_, index) => ({
    name: `Jingle ${index}`,
    folder: 'Jingles',
    colour: [235, 235, 60 + 120 * index] as Colour,
    toneHz: 1400 + 100 * index,
    seconds: 3,
  })),
  ...Array.from({ length: 2 }, (_, index) => ({
    name: `News ${index}`,
    folder: 'News',
    colour: [20, 20, 120 + 100 * index] as Colour,
    toneHz: 1800 + 100 * index,
    seconds: 11 + index,
  })),
  ...Array.from({ length: 3 }, (_, index) => ({
    name: `Filler ${index}`,
    folder: 'Fillers',
    colour: [90 + 60 * index, 10, 10] as Colour,
    toneHz: 2200 + 100 * index,
    seconds: 2 ** index,
  })),
];

/** The timeline of a stream beside its simulation and its recording. */
interface Aired {
  readonly rows: readonly Row[];
  readonly simulated: readonly Row[];
  /** The row that was skipped, twice. */
  readonly skipped: Row;
  readonly file: string;
}

describe('a programme on the air', { timeout: 600_000 }, () => {
  const run = testLocalRun('--no-demo', '--agents', '2');
  let tools: MediaTools;
  let folder: string;
  let clipOf: Clips;
  let hardStart: Date;
  const airedBy = new Map<string, Aired>();

  beforeAll(async () => {
    tools = await findMediaTools(process.env);
    folder = await mkdtemp(join(tmpdir(), 'programme-'));
    clipOf = await uploadAll(run.api, tools, folder);
    const collections = await makeCollections(run.api);
    hardStart = new Date(Math.ceil((Date.now() + 60_000) / 60_000) * 60_000);
    await Promise.all(
      streamBackends.map(async (backend) => {
        const file = join(folder, `${backend}.flv`);
        airedBy.set(backend, await airedBackend(run.api, { backend, collections, hardStart, file }));
      }),
    );
  }, 500_000);
  afterAll(() => rm(folder, { recursive: true }));

  it.each(streamBackends)('sends the colour and the tone of each row, to the frame, with %s', async (backend) => {
    const { rows, file } = airedBy.get(backend)!;
    const colours = await coloursOf(tools, file);
    const samples = await samplesOf(tools, file);
    const frameOf = framesSince(rows[0]!.startAt);
    const parts = rows.flatMap((row) => partsOf(row, frameOf)).filter(({ to }) => to <= colours.length);
    const isItself = ({ isStandIn }: RecordedPart) => !isStandIn;
    expect(parts.filter(isItself).length).toBeGreaterThan(15);
    expect(parts.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['item', 'insert']));
    for (const { uploadID, from, to, isStandIn } of parts) {
      const { name, colour, toneHz } = clipOf.get(uploadID)!;
      const others = colours.slice(from, to).flatMap((shown, index) => (isAlike(shown, colour) ? [] : [from + index]));
      expect({ name, from, to, others: others.slice(0, 5) }).toEqual({ name, from, to, others: [] });
      // A clip that stands in for a longer item begins again, perhaps in the middle of the half second.
      if (isStandIn || to - from < framesPerSecond) continue;
      const tone = toneAt(samples, (from + to) / 2 / framesPerSecond - 0.25);
      expect(Math.abs(tone - toneHz), `${name}: ${tone} Hz`).toBeLessThan(20);
    }
  });

  it.each(streamBackends)(
    'plays what was simulated, but for a skipped row, and begins the hard block within a frame, with %s',
    (backend) => {
      const { rows, simulated, skipped } = airedBy.get(backend)!;
      const block = rows.find(({ blockID }) => blockID === 'news')!;
      const lateMs = new Date(block.startAt).getTime() - hardStart.getTime();
      expect(lateMs).toBeGreaterThanOrEqual(0);
      expect(lateMs).toBeLessThanOrEqual(1000 / framesPerSecond + 1);
      const shown = ({ startAt, endAt, uploadID, kind, blockID }: Row) => ({ startAt, endAt, uploadID, kind, blockID });
      const known = rows.findIndex(({ startAt }) => startAt === skipped.startAt);
      expect(known).toBeGreaterThan(0);
      expect(rows.slice(0, known).map(shown)).toEqual(simulated.slice(0, known).map(shown));
      // The next row, and no other one, is in the place of the skipped one.
      expect(rows[known]!.uploadID).toBe(simulated[known + 1]!.uploadID);
    },
  );
});

/** Frames of the recording, from the first one of the stream, that play one upload. */
interface RecordedPart {
  readonly uploadID: string;
  readonly kind: string;
  readonly from: number;
  readonly to: number;
  /** Whether the upload plays in place of the item of the row, as that was not prepared yet. */
  readonly isStandIn: boolean;
}

/** The parts of a row that the destination acknowledged. */
function partsOf({ startAt, uploadID, kind, aired }: Row, frameOf: (time: string) => number): RecordedPart[] {
  return (aired ?? []).map(({ fromSeconds, toSeconds, standInUploadID }) => ({
    uploadID: standInUploadID ?? uploadID,
    kind,
    from: frameOf(startAt) + Math.round(fromSeconds * framesPerSecond),
    to: frameOf(startAt) + Math.round(toSeconds * framesPerSecond),
    isStandIn: standInUploadID !== null,
  }));
}

interface Airing {
  readonly backend: string;
  readonly collections: Collections;
  readonly hardStart: Date;
  /** The path of the recording. */
  readonly file: string;
}

/** Records a stream until the hard block is over. */
async function airedBackend(api: ApiClient, { backend, collections, hardStart, file }: Airing): Promise<Aired> {
  using ingest = await startFfmpegIngest(file);
  const destination = await api('POST', '/destinations', { name: backend, ...ingest.target });
  const settings = { quality: 'q_720p', framerate: 'f_30', streamBackend: backend };
  const { id: streamID } = await api('POST', '/streams', { ...settings, destinationID: destination.id });
  const programmeID = await publishProgramme(api, streamID, collections, hardStart);
  await api('POST', `/streams/${streamID}/start`);
  await untilActive(api, streamID);
  await until(async () => (await api('GET', `/programmes/${programmeID}`)).plannedUntil !== null);
  const timeline = async (): Promise<Row[]> => {
    const [from, to] = [-600_000, 600_000].map((ms) => new Date(Date.now() + ms).toISOString());
    return (await api('GET', `/streams/${streamID}/timeline?from=${from}&to=${to}&limit=1000`)).data;
  };
  const [first] = await timeline();
  const simulation = `/programmes/${programmeID}/simulation?from=${first!.startAt}&days=1&rows=200`;
  const { rows: simulated } = await api('GET', simulation);
  const skipped = (await timeline()).find((row) => {
    return row.kind === 'item' && new Date(row.startAt).getTime() > Date.now() + 15_000;
  })!;
  const skip = () => {
    return api('POST', `/streams/${streamID}/skip`, { startAt: skipped.startAt, uploadID: skipped.uploadID });
  };
  await skip();
  await expect(skip()).rejects.toThrow('skip_too_late');
  await setTimeout(hardStart.getTime() + 5000 - Date.now());
  const [insert] = (await api('GET', `/programmes/${programmeID}`)).inserts;
  await api('PATCH', `/programmes/${programmeID}`, { inserts: [{ ...insert, everyItems: 2 }] });
  await api('POST', `/programmes/${programmeID}/publish`);
  await setTimeout(hardStart.getTime() + secondsAfterHardStart * 1000 - Date.now());
  const rows = await timeline();
  await api('POST', `/streams/${streamID}/stop`);
  return { rows, simulated, skipped, file: await ingest.finish() };
}

type Clips = ReadonlyMap<string, (typeof clips)[number]>;

/** The frame that is due at a time, counted from that of the first one. */
function framesSince(first: string): (time: string) => number {
  const anchoredMs = new Date(first).getTime();
  return (time) => Math.floor(((new Date(time).getTime() - anchoredMs) * framesPerSecond) / 1000 + 0.01);
}

async function uploadAll(api: ApiClient, tools: MediaTools, folder: string): Promise<Clips> {
  const found = new Map<string, (typeof clips)[number]>();
  for (const [index, clip] of clips.entries()) {
    const path = join(folder, `${clip.name}.mp4`);
    await makeColourClip(tools, { ...clip, path });
    const id = await uploadFile(api, path, 'video/mp4');
    await api('PATCH', `/uploads/${id}`, { name: clip.name, folder: clip.folder, artist: `Artist ${index % 3}` });
    found.set(id, clip);
  }
  return found;
}

type Collections = Readonly<Record<'songs' | 'jingles' | 'news' | 'fillers', string>>;

async function makeCollections(api: ApiClient): Promise<Collections> {
  const collectionOf = async (folder: string, order: string) =>
    (await api('POST', '/collections', { name: folder, kind: 'video', source: { folder }, order })).id as string;
  return {
    songs: await collectionOf('Songs', 'shuffle'),
    jingles: await collectionOf('Jingles', 'sequential'),
    news: await collectionOf('News', 'sequential'),
    fillers: await collectionOf('Fillers', 'shuffle'),
  };
}

/** Songs, a jingle after each third one, and a minute of news that begins hard. @returns the id */
async function publishProgramme(
  api: ApiClient,
  streamID: string,
  { songs, jingles, news, fillers }: Collections,
  hardStart: Date,
): Promise<string> {
  const { id } = await api('POST', '/programmes', { streamID, timeZone: 'UTC' });
  const at = hardStart.toISOString().slice(11, 16);
  const hours = { rule: 'FREQ=DAILY', at, minutes: 1, starts: 'hard', ends: 'fill' };
  await api('PATCH', `/programmes/${id}`, {
    blocks: [
      { id: 'music', name: 'Music', steps: [{ id: 'songs', collectionID: songs }] },
      { id: 'news', name: 'News', ...hours, steps: [{ id: 'bulletin', collectionID: news }] },
    ],
    inserts: [{ id: 'jingle', name: 'Jingle', collectionID: jingles, everyItems: 3 }],
    separation: [{ by: 'artist', items: 2, strength: 'must' }],
    filler: { collectionID: fillers },
  });
  await api('POST', `/programmes/${id}/publish`);
  return id;
}

function isAlike(one: Colour, other: Colour): boolean {
  return one.every((part, index) => Math.abs(part - other[index]!) <= 12);
}

// A programme of a local run that tests put on the air: its clips, its rules, its rows, and the edits of its operator.
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { makeColourClip } from './colour-clip.ts';
import type { Colour, ColourClip } from './colour-clip.ts';
import { createLoop, until, uploadFile } from './local-run.ts';
import type { ApiClient } from './local-run.ts';
import type { TestLocalRun } from './test-local-run.ts';

type Run = Pick<TestLocalRun, 'api' | 'connection'>;

/** A clip with its name and its folder. */
export type Clip = Omit<ColourClip, 'path'> & { readonly name: string; readonly folder: string };

/** Clips by the ids of their uploads. */
export type Clips = ReadonlyMap<string, Clip>;

export type Collections = Readonly<Record<'songs' | 'jingles' | 'news' | 'fillers', string>>;

/** A row of a timeline or of a simulation, read from CSV. */
export interface Row {
  readonly startAt: string;
  readonly endAt: string;
  readonly uploadID: string;
  readonly kind: string;
  readonly blockID: string;
  /** The columns of `planColumns` as they stand in the answer. */
  readonly plan: string;
  /** `plan` without the times. */
  readonly choice: string;
  readonly aired: readonly AiredPart[];
}

/** A part of a row that the destination acknowledged, in seconds after its beginning. */
export interface AiredPart {
  readonly fromSeconds: number;
  readonly toSeconds: number;
  /** Empty: the item itself played. */
  readonly standInUploadID: string;
}

/** Settings of the format in which the clips are prepared. */
export const format = { quality: 'q_720p', framerate: 'f_30' } as const;
/** The hard block lasts a minute, and is on the air whole. */
export const secondsAfterHardStart = 75;

/** Twelve songs of three artists, two jingles, two bulletins and three fillers. */
const clips: readonly Clip[] = [
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

/** Each third clip is a part of a file: seconds before and after it there. It begins within a group of pictures. */
const aroundSeconds = 2.7;

async function partOf(api: ApiClient, uploadID: string, { seconds }: Clip): Promise<string> {
  const times = { fromSeconds: aroundSeconds, untilSeconds: aroundSeconds + seconds };
  return (await api('POST', `/uploads/${uploadID}/clips`, times)).id;
}

/** Uploads the clips. Resolves once they are prepared, so that no other one stands in for them. */
export async function uploadClips(api: ApiClient, tools: MediaTools, folder: string): Promise<Clips> {
  const found = new Map<string, Clip>();
  for (const [index, clip] of clips.entries()) {
    const path = join(folder, `${clip.name}.mp4`);
    const isPart = index % 3 === 1;
    await makeColourClip(tools, { ...clip, path }, isPart ? aroundSeconds : 0);
    const uploadID = await uploadFile(api, path, 'video/mp4');
    const id = isPart ? await partOf(api, uploadID, clip) : uploadID;
    await api('PATCH', `/uploads/${id}`, { name: clip.name, folder: clip.folder, artist: `Artist ${index % 3}` });
    found.set(id, clip);
  }
  const target = { rtmpURL: 'rtmp://127.0.0.1/never-started', streamKey: 'none' };
  const id = await createLoop(api, [...found.keys()], target, { ...format, streamBackend: 'manifest' });
  const { playlistIDs } = await api('GET', `/streams/${id}`);
  await api('PATCH', `/streams/${id}`, { preparedPlaylistIDs: playlistIDs });
  await until(async () => (await api('GET', `/streams/${id}`)).preparedShare === 1);
  return found;
}

export async function makeCollections(api: ApiClient): Promise<Collections> {
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
export async function publishProgramme(
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

/** Publishes a programme with an insert after so many items. */
export async function insertEvery(api: ApiClient, programmeID: string, everyItems: number): Promise<void> {
  const [insert] = (await api('GET', `/programmes/${programmeID}`)).inserts;
  await api('PATCH', `/programmes/${programmeID}`, { inserts: [{ ...insert, everyItems }] });
  await api('POST', `/programmes/${programmeID}/publish`);
}

/** Skips the first item that begins in 15 seconds or later, and then the same one again. @returns its row */
export async function skipTwice(run: Run, streamID: string): Promise<Row> {
  const rows = await timelineOf(run, streamID);
  const skipped = rows.find(({ kind, startAt }) => kind === 'item' && Date.parse(startAt) > Date.now() + 15_000)!;
  const { startAt, uploadID } = skipped;
  const skip = () => run.api('POST', `/streams/${streamID}/skip`, { startAt, uploadID });
  await skip();
  await expect(skip()).rejects.toThrow('skip_too_late');
  return skipped;
}

/** The first full minute at or after a Unix time in ms. */
export function firstFullMinute(ms: number): Date {
  return new Date(Math.ceil(ms / 60_000) * 60_000);
}

export async function untilTime(time: Date | number): Promise<void> {
  await setTimeout(Math.max(0, Number(time) - Date.now()));
}

/** The rows of a stream from 15 minutes ago on, for half an hour. */
export async function timelineOf(run: Run, streamID: string): Promise<Row[]> {
  const [from, to] = [-900_000, 900_000].map((ms) => new Date(Date.now() + ms).toISOString());
  return rowsOf(await csvAt(run, `/streams/${streamID}/timeline?from=${from}&to=${to}&limit=1000&format=csv`));
}

/** The rows of a programme that begins at a time. */
export async function simulationOf(run: Run, programmeID: string, from: string): Promise<Row[]> {
  return rowsOf(await csvAt(run, `/programmes/${programmeID}/simulation?from=${from}&days=1&rows=200&format=csv`));
}

/** Rows as one text, to be compared byte for byte. */
export function textOf(rows: readonly Row[], column: 'plan' | 'choice' = 'plan'): string {
  return rows.map((row) => `${row[column]}\r\n`).join('');
}

async function csvAt({ connection: { apiURL, apiKey } }: Run, path: string): Promise<string> {
  const response = await fetch(apiURL + path, { headers: { 'x-api-key': apiKey } });
  const text = await response.text();
  if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${text}`);
  return text;
}

/** The columns that timelines and simulations have in common, except the two of the times. */
const choiceColumns = ['kind', 'name', 'uploadID', 'blockID', 'stepID', 'insertID', 'title', 'artist'] as const;
/** All columns of a simulation that a timeline has, in the order of the simulation. */
const planColumns = ['startAt', 'endAt', ...choiceColumns] as const;

/** Reads rows. The names of the clips need no quotes. A row with several aired parts has as many lines. */
function rowsOf(csv: string): Row[] {
  const [head, ...lines] = csv
    .split('\r\n')
    .slice(0, -1)
    .map((line) => line.split(','));
  const rows: (Row & { aired: AiredPart[] })[] = [];
  for (const line of lines) {
    expect(line).toHaveLength(head!.length);
    const cells = new Map(head!.map((name, index) => [name, line[index]!]));
    const cell = (name: string) => cells.get(name)!;
    const [startAt, airedFrom] = [cell('startAt'), cells.get('airedFromSeconds') ?? ''];
    if (rows.at(-1)?.startAt !== startAt) {
      const plan = planColumns.map(cell).join(',');
      const choice = choiceColumns.map(cell).join(',');
      const [endAt, uploadID, kind, blockID] = ['endAt', 'uploadID', 'kind', 'blockID'].map(cell) as Four;
      rows.push({ startAt, endAt, uploadID, kind, blockID, plan, choice, aired: [] });
    }
    if (airedFrom === '') continue;
    const [toSeconds, standInUploadID] = [Number(cell('airedToSeconds')), cell('standInUploadID')];
    rows.at(-1)!.aired.push({ fromSeconds: Number(airedFrom), toSeconds, standInUploadID });
  }
  return rows;
}

type Four = [string, string, string, string];

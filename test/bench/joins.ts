// The cost of preparing an hour of sound joins and of videos under songs, compared with live encoding.
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { renditionOf } from '../../lambda/domain/playout/rendition.ts';
import { soundPartsAt } from '../../lambda/domain/playout/composition-parts.ts';
import type { Part } from '../../lambda/domain/playout/composition-parts.ts';
import { withJoins } from '../../lambda/domain/playout/item-joins.ts';
import { mixPartsWithin } from '../../lambda/domain/playout/mixed-sound.ts';
import { occurrencesFrom } from '../../lambda/domain/playout/play-out.ts';
import type { TimelineItem } from '../../lambda/domain/playout/play-out.ts';
import { inSoftware } from '../../lambda/publisher/media/choose-encoder.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { preparePart } from '../../lambda/publisher/preparing/prepare-part.ts';
import { prepareSegment } from '../../lambda/publisher/preparing/prepare-segment.ts';
import { temporaryDataFolder } from '../support/local-run.ts';
import { cpuSecondsOf } from './processor-time.ts';

/** Songs of a usual playlist. */
const songs = 6;
const songSeconds = 211.3;
const fadeSeconds = 3;
const rate = 30;
const pictureSeconds = 20;
const filmSeconds = 47.3;
const mixedSeconds = 400;
const never = new AbortController().signal;

export async function joinsBench(): Promise<void> {
  const tools = await findMediaTools(process.env);
  const data = await temporaryDataFolder();
  const make = async (name: string, ...args: string[]) => {
    const path = join(data.path, name);
    await promisify(execFile)(tools.ffmpegPath, ['-nostdin', '-v', 'error', ...args, path]);
    return path;
  };
  try {
    const paths = new Map<string, string>();
    const items: TimelineItem[] = [];
    for (let song = 0; song < songs; song++) {
      const noise = `anoisesrc=c=pink:r=44100:a=0.3:d=${songSeconds}:seed=${song}`;
      const path = await make(`song${song}.mp3`, '-f', 'lavfi', '-i', noise, '-c:a', 'libmp3lame', '-b:a', '192k');
      paths.set(path, path);
      items.push({
        itemID: path,
        uploadID: path,
        name: path,
        objectKey: path,
        kind: 'audio',
        durationSeconds: songSeconds,
        hasAudio: true,
      });
    }
    const snapshot = {
      mode: 'shuffle',
      seed: 1,
      items: withJoins(items, { kind: 'crossfade', seconds: fadeSeconds }, 'shuffle'),
    };
    const entries = [{ number: 0, offsetSeconds: 0, playlistID: null, snapshot }] as const;
    const joins = [...occurrencesFrom(entries as never, 1, rate).take(songs * 2)].flatMap((occurrence) =>
      soundPartsAt({ entries: entries as never, contentHashes: paths }, occurrence, rate),
    );
    let bytes = 0;
    const joinsCPU = await cpuSecondsOf(async () => {
      for (const { part } of joins) bytes += (await made(tools, part, paths)).length;
    });
    const perHour = 3600 / (songSeconds - fadeSeconds);
    const ofJoin = joinsCPU / joins.length;
    const kibibytes = Math.round(bytes / joins.length / 1024);
    print('crossfades of an hour of songs, prepared', ofJoin * perHour);
    console.log(`  ${joins.length} joins, each ${(ofJoin * 1000).toFixed(0)} ms and ${kibibytes} KiB`);

    await printMixes(tools, { make, songs: items, paths });
    const soundOfAnHour = await cpuSecondsOf(() => sound(tools, paths.get(items[0]!.uploadID)!, 1000));
    print('an hour of sound, encoded while it is sent', (soundOfAnHour * 3600) / (1000 * (1024 / 48_000)));
    for (const quality of ['q_720p', 'q_1080p'] as const) {
      const size = quality === 'q_720p' ? '1280x720' : '1920x1080';
      const graph = `testsrc2=s=${size}:r=${rate}:d=${pictureSeconds},noise=alls=8:allf=t`;
      const video = await make(`${quality}.mp4`, '-f', 'lavfi', '-i', graph, '-c:v', 'libx264', '-preset', 'ultrafast');
      const format = { quality, framerate: 'f_30', videoCodec: 'h264' } as const;
      const item = { kind: 'video', durationSeconds: pictureSeconds } as const;
      const request = {
        rendition: renditionOf('clip', item, format),
        segment: 0,
        sourceURL: video,
        kind: 'video',
      } as const;
      const cpu = await cpuSecondsOf(() =>
        prepareSegment(tools, { ...request, hasAudio: false, encoder: inSoftware.h264 }, never),
      );
      print(`an hour of ${quality} with f_30, encoded while it is sent`, (cpu * 3600) / pictureSeconds);
    }
  } finally {
    await rm(data.path, { recursive: true, force: true });
  }
}

interface MixedSongs {
  readonly make: (name: string, ...args: string[]) => Promise<string>;
  readonly songs: readonly TimelineItem[];
  readonly paths: ReadonlyMap<string, string>;
}

/** Prints the cost of mixing the sound of a video under songs: no two parts are equal for hours. */
async function printMixes(tools: MediaTools, { make, songs: heard, paths }: MixedSongs): Promise<void> {
  const pictures = `testsrc2=s=1920x1080:r=${rate}:d=${filmSeconds},noise=alls=8:allf=t`;
  const inputs = ['-f', 'lavfi', '-i', pictures, '-f', 'lavfi', '-i', `anoisesrc=c=pink:a=0.2:d=${filmSeconds}`];
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-b:v', '8M', '-c:a', 'aac', '-shortest'];
  const path = await make('film.mp4', ...inputs, ...codecs);
  const item = { ...heard[0]!, itemID: path, uploadID: path, objectKey: path, durationSeconds: filmSeconds };
  const film = { ...item, kind: 'video', under: { enabled: true, gainDB: -12, duck: true } } as const;
  const entryOf = (items: readonly TimelineItem[]) => {
    return [
      { number: 0, offsetSeconds: 0, playlistID: null, snapshot: { mode: 'sequential', seed: 1, items } },
    ] as const;
  };
  const contentHashes = new Map([...paths, [path, path]]);
  const format = { quality: 'q_1080p', framerate: 'f_30', videoCodec: 'h264' } as const;
  const track = {
    entries: entryOf(heard),
    contentHashes,
    under: { pictures: { entries: entryOf([film]), contentHashes }, format },
  };
  const mixes = mixPartsWithin(track, { startFrame: 0, frameCount: mixedSeconds * rate }, rate);
  let bytes = 0;
  const cpu = await cpuSecondsOf(async () => {
    for (const { part } of mixes) bytes += (await made(tools, part, contentHashes)).length;
  });
  const groups = mixes.reduce((sum, { part }) => sum + part.groupCount, 0);
  const perHour = 3600 / ((groups * 1024) / 48_000);
  print('an hour of songs with a video heard under them, prepared', cpu * perHour);
  const each = `each ${((cpu / mixes.length) * 1000).toFixed(0)} ms`;
  console.log(`  ${mixes.length} parts, ${each}, ${((bytes * perHour) / 1e6).toFixed(0)} MB an hour`);
}

/** Makes a part of sound. @param paths by the names of contents */
function made(tools: MediaTools, part: Part, paths: ReadonlyMap<string, string>): Promise<Buffer> {
  const drawings = { logoURL: async () => '', captionsOf: async () => null };
  return preparePart(tools, { part, urlOf: (hash) => paths.get(hash)!, encoder: null, drawings }, never);
}

async function sound(tools: Awaited<ReturnType<typeof findMediaTools>>, path: string, groupCount: number) {
  const rendition = { contentHash: 'song', format: 'sound', groupCount } as const;
  const request = { rendition, segment: 0, sourceURL: path, kind: 'audio', hasAudio: true, encoder: null } as const;
  await prepareSegment(tools, request, never);
}

function print(what: string, cpuSeconds: number): void {
  console.log(
    `${what}: ${cpuSeconds.toFixed(1)} s of a processor, ${((cpuSeconds / 3600) * 100).toFixed(2)} % of a core`,
  );
}

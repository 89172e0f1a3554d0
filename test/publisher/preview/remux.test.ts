// Remuxed pieces of prepared GOPs are equal to the prepared media, at their times, across joins.
import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { occurrencesFrom } from '../../../lambda/domain/playout/play-out.ts';
import type { TimelineEntry, TimelineItem } from '../../../lambda/domain/playout/play-out.ts';
import { framesOfPiece } from '../../../lambda/domain/playout/preview.ts';
import { renditionOf, soundAt } from '../../../lambda/domain/playout/rendition.ts';
import type { PictureFormat } from '../../../lambda/domain/playout/rendition.ts';
import type { SoundLevel } from '../../../lambda/domain/playout/sound.ts';
import { soundPartsAt } from '../../../lambda/domain/playout/composition-parts.ts';
import { withJoins } from '../../../lambda/domain/playout/item-joins.ts';
import { profileOf } from '../../../lambda/publisher/ffmpeg/profile.ts';
import type { MediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { remuxPiece } from '../../../lambda/publisher/preview/remux-piece.ts';
import type { RemuxOptions } from '../../../lambda/publisher/preview/remux-piece.ts';
import { SegmentStore } from '../../../lambda/publisher/prepared/segment-store.ts';
import { fastEncoder, madeSample, mediaToolsFor } from '../../support/media-samples.ts';
import { CheckingIngest } from '../prepared/checking-ingest.ts';
import { makeParts } from '../prepared/made-parts.ts';
import { format, item, mediaOptions, play, preparedClips, timelineOf } from '../prepared/prepared-clips.ts';
import type { PreparedClips } from '../prepared/prepared-clips.ts';

const clip = (hertz = 440) => {
  const made = `-f lavfi -i testsrc2=s=320x180:r=30:d=4 -f lavfi -i sine=f=${hertz}:r=48000:d=4 -c:v libx264 -c:a aac`;
  return madeSample(`four-seconds-${hertz}.mp4`, made.split(' '));
};

const folder = await mkdtemp(join(tmpdir(), 'preview-'));
afterAll(() => rm(folder, { recursive: true }));

/** The first pieces of a stream, as a file. */
async function piecesOf(options: Omit<RemuxOptions, 'log'>, count: number) {
  const { framesPerSecond, gopFrames } = profileOf(options.format);
  const framesOf = (each: TimelineItem) => renditionOf('', each, options.format).groupCount;
  const grid = { framesPerSecond, gopFrames, framesOf };
  const { entries } = options.timelines.video;
  const spans = Array.from({ length: count }, (_, piece) => framesOfPiece(entries, piece, grid));
  const pieces = [];
  for (const span of spans) pieces.push((await remuxPiece({ ...options, log: () => {} }, span))!);
  const path = join(folder, `${randomUUID()}.mp4`);
  await writeFile(path, Buffer.concat([pieces[0]!.header, ...pieces.map(({ fragments }) => fragments)]));
  return { path, spans };
}

/** Packets of a file: their stream, times, and numbers of samples or pictures. */
async function packetsOf(tools: MediaTools, path: string, selected: 'v' | 'a') {
  const args = ['-v', 'error', '-select_streams', selected, '-show_entries', 'packet=pts_time,dts_time', '-of', 'json'];
  const { stdout } = await promisify(execFile)(tools.ffprobePath, [...args, path]);
  const { packets } = JSON.parse(stdout) as { packets: { pts_time: string; dts_time: string }[] };
  return packets.map(({ pts_time: pts, dts_time: dts }) => ({ pts: Number(pts), dts: Number(dts) }));
}

const timelinesOf = (
  video: readonly TimelineEntry[],
  audio: readonly TimelineEntry[] = [],
  joins: ReadonlyMap<string, number> = new Map(),
): RemuxOptions['timelines'] => {
  const items = [...video, ...audio].flatMap(({ snapshot }) => snapshot.items);
  const contentHashes = new Map(items.map(({ uploadID }) => [uploadID, uploadID]));
  return { video: { entries: video, contentHashes }, audio: { entries: audio, contentHashes, joins } };
};

/** Fast encoders, because the quality of the pictures does not matter. */
const encoders = {
  h264: fastEncoder,
  hevc: { codec: 'libx265', preset: 'ultrafast' },
  av1: { codec: 'libsvtav1', preset: '12' },
} as const;
const lackingTools = 'no ffmpeg of 6.1 or later with this encoder is installed';

it.for(['h264', 'hevc', 'av1'] as const)(
  'pictures and sound of %s follow each other without a seam where items join',
  async (videoCodec, { skip }) => {
    const found = await mediaToolsFor(videoCodec);
    if (found === null) return skip(lackingTools);
    const tools = found;
    await using clips = await preparedClips(tools);
    const wanted: PictureFormat = { ...format, videoCodec };
    const { framesPerSecond } = profileOf(wanted);
    const [one, two] = [item('one', 3.1), item('two', 2.5)];
    for (const each of [one, two]) await clips.prepare(each, await clip(), wanted, encoders[videoCodec]);
    const store = new SegmentStore({ objects: clips.objects, maxCachedBytes: 8 * 1024 * 1024 });
    const timelines = timelinesOf(timelineOf(one, two));
    const { path, spans } = await piecesOf({ store, format: wanted, timelines }, 10);

    // Consecutive pieces have no gap and contain something of every item.
    spans.slice(1).forEach(({ start }, index) => expect(start).toBe(spans[index]!.end));
    const frames = spans.at(-1)!.end;
    const pictures = await packetsOf(tools, path, 'v');
    expect(pictures).toHaveLength(frames);
    pictures.forEach(({ dts }, frame) => expect(dts).toBeCloseTo(frame / framesPerSecond, 4));
    const sound = await packetsOf(tools, path, 'a');
    sound.slice(1).forEach(({ pts }, index) => expect(pts - sound[index]!.pts).toBeCloseTo(1024 / 48_000, 4));
    expect(sound[0]!.pts).toBeCloseTo(pictures[0]!.pts, 1);
    expect(Math.abs(sound.at(-1)!.pts - frames / framesPerSecond)).toBeLessThan(0.1);
    // Decoders find no fault.
    const decode = ['-nostdin', '-v', 'error', '-xerror', '-i', path, '-f', 'null', '-'];
    const { stderr } = await promisify(execFile)(tools.ffmpegPath, decode);
    expect(stderr).toBe('');
  },
);

describe('a piece has what is sent, bit for bit and at its time', { timeout: 120_000 }, () => {
  const level: SoundLevel = { targetLUFS: -14, gainDB: -6, isLimited: false };
  const [one, two] = [item('one', 3.1), item('two', 2.5)];
  const songs = [item('song', 3.7), item('other-song', 3.9)];
  const levelled = (each: TimelineItem, fromSeconds: number) => ({ ...each, levels: [{ fromSeconds, level }] });
  let tools: MediaTools;
  let clips: PreparedClips;
  const joins = new Map<string, number>();
  const track = timelineOf(...withJoins([songs[0]!, levelled(songs[1]!, 0)], { kind: 'crossfade', seconds: 1 }));

  beforeAll(async () => {
    tools = await findMediaTools(process.env);
    clips = await preparedClips(tools);
    const paths = new Map<string, string>();
    for (const [index, each] of [one, two, ...songs].entries()) {
      const path = await clip(440 + 100 * index);
      paths.set(each.uploadID, path);
      const { durationSeconds: itemSeconds } = each;
      await clips.prepare(each, path, songs.includes(each) ? 'sound' : format);
      await clips.prepare(each, path, soundAt(level.targetLUFS), fastEncoder, { level, itemSeconds });
    }
    const { audio } = timelinesOf([], track);
    const parts = [...occurrencesFrom(track, 0, 30).take(4)].flatMap((each) => soundPartsAt(audio, each, 30));
    await makeParts(parts, { tools, objects: clips.objects, pathOf: (hash) => paths.get(hash)! }, joins);
  }, 120_000);
  afterAll(() => clips[Symbol.asyncDispose]());

  /** Hashes of a file's track, by their times in milliseconds. */
  const hashesOf = async (path: string, selected: 'v' | 'a') => {
    const args = ['-v', 'error', '-copyts', '-i', path, '-map', `0:${selected}`, '-c', 'copy', '-f', 'framehash', '-'];
    const { stdout } = await promisify(execFile)(tools.ffmpegPath, args, { maxBuffer: 1024 ** 2 });
    const timeBase = Number(/#tb 0: 1\/(\d+)/.exec(stdout)?.[1]);
    const lines = stdout.split('\n').filter((line) => /^\d/.test(line));
    return lines.map((line) => {
      const [, dts, , , , hash] = line.split(',').map((part) => part.trim());
      return { ms: (Number(dts) * 1000) / timeBase, hash };
    });
  };
  const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

  it.each([
    { sound: 'of the pictures', video: () => timelineOf(one, two), own: 'all' },
    {
      sound: 'of the pictures, at a level from the second time on',
      video: () => timelineOf(levelled(one, 5), levelled(two, 5)),
      own: 'some',
    },
    { sound: 'of a track, with crossfades', video: () => timelineOf(one, two), audio: () => track, own: 'none' },
  ])('with sound $sound', async ({ video, audio, own }) => {
    const store = new SegmentStore({ objects: clips.objects, maxCachedBytes: 64 * 1024 * 1024 });
    const tracks = { video: video(), audio: audio?.() ?? [], joins };
    const timelines = timelinesOf(tracks.video, tracks.audio, joins);
    const { path } = await piecesOf({ store, format, timelines }, 6);
    // The sender uses the same store, which has everything by now: the clock of the test does not wait for it.
    const ingest = new CheckingIngest();
    const sending = mediaOptions(store, () => tracks);
    await play(sending, ingest, { seconds: 13 });
    expect(sending.unreadable).toEqual([]);
    for (const [kind, selected, headerBytes] of [
      ['video', 'v', 5],
      ['audio', 'a', 2],
    ] as const) {
      const pieces = await hashesOf(path, selected);
      expect(pieces.length).toBeGreaterThan(350);
      const sent = ingest[kind].filter(({ payload }) => payload[1] === 1).slice(0, pieces.length);
      expect(pieces.map(({ hash }) => hash)).toEqual(sent.map(({ payload }) => sha256(payload.subarray(headerBytes))));
      const late = pieces.map(({ ms }, index) => Math.abs(ms - sent[index]!.timestampMs));
      expect(Math.max(...late)).toBeLessThan(1);
    }
    const asItIs = await piecesOf({ store, format, timelines: timelinesOf(timelineOf(one, two)) }, 6);
    const unchanged = new Set((await hashesOf(asItIs.path, 'a')).map(({ hash }) => hash));
    const kept = (await hashesOf(path, 'a')).map(({ hash }) => unchanged.has(hash));
    expect(kept.every(Boolean) ? 'all' : kept.some(Boolean) ? 'some' : 'none').toBe(own);
  });

  it('or is missing, where something else plays in place of what cannot be read', async () => {
    const store = new SegmentStore({ objects: clips.objects, maxCachedBytes: 64 * 1024 * 1024 });
    const timelines = timelinesOf(timelineOf(item('not-there', 3), one));
    const options = { store, format, timelines, log: () => {} };
    expect(await remuxPiece(options, { start: 0, end: 60 })).toBeNull();
    expect(await remuxPiece(options, { start: 90, end: 150 })).not.toBeNull();
  });
});

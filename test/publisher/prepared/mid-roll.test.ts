// An item with breaks: each part begins with the frame after the last one of the part before, also after takeovers.
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { occurrenceAt } from '../../../lambda/domain/playout/play-out.ts';
import type { TimelineEntry } from '../../../lambda/domain/playout/play-out.ts';
import { renditionOf } from '../../../lambda/domain/playout/rendition.ts';
import { partsWithin } from '../../../lambda/domain/playout/parts-within.ts';
import { framesOfPiece } from '../../../lambda/domain/playout/preview.ts';
import { SegmentStore } from '../../../lambda/publisher/prepared/segment-store.ts';
import { remuxPiece } from '../../../lambda/publisher/preview/remux-piece.ts';
import { makeParts } from './made-parts.ts';
import { openFrames } from '../../../lambda/publisher/encoded/ffmpeg-media.ts';
import { profileOf } from '../../../lambda/publisher/ffmpeg/profile.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { makeBarcodeClip, readBarcodes } from '../../support/barcode-clip.ts';
import type { BarcodeFrame } from '../../support/barcode-clip.ts';
import { fastEncoder } from '../../support/media-samples.ts';
import { steps } from '../../support/recording.ts';
import { CheckingIngest, flvOf, frameTimes } from './checking-ingest.ts';
import { format, item, mediaOptions, play, preparedClips, receiveRendition, timelineOf } from './prepared-clips.ts';
import type { PreparedClips } from './prepared-clips.ts';

const tools = await findMediaTools(process.env);
const rate = 30;
const clips = [item('film', 14), item('sponsor', 3)] as const;
const [film, sponsor] = clips;
const paths = new Map<string, string>();
let prepared: PreparedClips;

/** The film to 6 s, a sponsor, the film to 10 s, two sponsors, and the rest of the film. */
const timeline: readonly TimelineEntry[] = [
  {
    number: 0,
    offsetSeconds: 0,
    playlistID: null,
    snapshot: {
      mode: 'sequential',
      seed: 1,
      items: [film, sponsor],
      order: [0, 1, 0, 1, 1, 0],
      parts: [
        { fromSeconds: 0, untilSeconds: 6 },
        null,
        { fromSeconds: 6, untilSeconds: 10 },
        null,
        null,
        { fromSeconds: 10, untilSeconds: null },
      ],
    },
  },
];
/** The film lasts 14 s, and each sponsor 3 s. */
const seconds = 23;

const profile = profileOf(format);
/** Two channels of 16 bits. */
const bytesPerSample = 4;
const encodedOptions = {
  tools,
  profile,
  encoder: () => fastEncoder,
  signal: new AbortController().signal,
  loadTimelines: async () => ({ video: timeline, audio: [] }),
  anchoredAtMs: async () => 0,
  urlOf: async (key: string) => paths.get(key)!,
  captionsOf: async () => null,
  log: () => {},
};

/** The clip and its frame that a frame of the run has to show. */
function wantedAt(frame: number): BarcodeFrame {
  const rows = [
    [0, 180, 0, 0],
    [180, 270, 1, 0],
    [270, 390, 0, 180],
    [390, 480, 1, 0],
    [480, 570, 1, 0],
    [570, 690, 0, 300],
  ] as const;
  const [from, , clip, first] = rows.findLast(([begins]) => begins <= frame)!;
  return { clip, frame: first + frame - from };
}

beforeAll(async () => {
  prepared = await preparedClips(tools);
  for (const [number, clip] of clips.entries()) {
    const path = join(tmpdir(), `mid-roll-${crypto.randomUUID()}.mp4`);
    await makeBarcodeClip(tools, path, number, clip.durationSeconds);
    paths.set(clip.objectKey, path);
    await prepared.prepare(clip, path);
  }
}, 120_000);
afterAll(async () => {
  await prepared[Symbol.asyncDispose]();
  for (const path of paths.values()) await rm(path);
});

const wanted = (from: number, count: number) => Array.from({ length: count }, (_, index) => wantedAt(from + index));

/** The frames of a recording, without the last ones: some that come before them are still to be sent. */
async function shownBy(ingest: CheckingIngest): Promise<BarcodeFrame[]> {
  const path = join(tmpdir(), `mid-roll-${crypto.randomUUID()}.flv`);
  await writeFile(path, flvOf(ingest));
  const shown = await readBarcodes(tools, path);
  await rm(path);
  return shown.slice(0, -4);
}

/** The frames of sound that are received, without the header of their decoder. */
function soundOf({ audio }: CheckingIngest): string[] {
  return audio.filter(({ payload }) => payload[1] === 1).map(({ payload }) => payload.toString('base64'));
}

describe('prepared', { timeout: 120_000 }, () => {
  it('shows each frame of the item once and in order, and no frame of sound is missing', async () => {
    const ingest = new CheckingIngest();
    const recorded = mediaOptions(prepared.objects, () => ({ video: timeline }));
    const figures = await play(recorded, ingest, { seconds: seconds - 1 });
    expect(recorded.unreadable).toEqual([]);
    const shown = await shownBy(ingest);
    expect(shown.length).toBeGreaterThan(22 * rate);
    expect(shown).toEqual(wanted(0, shown.length));
    expect(steps(ingest.audio.slice(1).map(({ timestampMs }) => timestampMs))).toEqual([21, 22]);
    expect(steps(frameTimes(ingest.video))).toEqual([33, 34]);
    const last = shown.length - 1;
    expect(figures.sample(0, new Date(), rate).currentItem!.positionSeconds).toBeCloseTo(
      wantedAt(last).frame / rate,
      0,
    );
  });

  it('has a sound track continue where it stopped, also after a takeover', async () => {
    const heard = timeline.map((entry) => ({ ...entry, snapshot: { ...entry.snapshot, seed: 2 } }));
    for (const clip of clips) await prepared.prepare(clip, paths.get(clip.objectKey)!, 'sound');
    const nameOf = new Map<string, string>();
    for (const clip of clips) {
      const { ingest } = await receiveRendition(prepared.objects, renditionOf(clip.uploadID, clip, 'sound'));
      for (const [index, payload] of soundOf(ingest).entries()) nameOf.set(payload, `${clip.uploadID} ${index}`);
    }
    const namesFrom = ({ uploadID }: typeof film, from: number, end: number) =>
      Array.from({ length: end - from }, (_, index) => `${uploadID} ${from + index}`);
    // 6 s of the film are 281.25 frames of sound; with 3 s of the sponsor, they are 421.875.
    const whole = [...namesFrom(film, 0, 281), ...namesFrom(sponsor, 0, 141), ...namesFrom(film, 281, 468)];
    for (const [startFrame, wantedSound] of [
      [0, whole],
      [270, namesFrom(film, 281, 411)],
      [331, namesFrom(film, 375, 468)],
    ] as const) {
      const ingest = new CheckingIngest();
      const recorded = mediaOptions(prepared.objects, () => ({ video: timeline, audio: heard }));
      await play(recorded, ingest, { startFrame, seconds: startFrame === 0 ? 15 : 5 });
      const sent = ingest.audio.slice(-soundOf(ingest).length);
      expect(steps(sent.map(({ timestampMs }) => timestampMs))).toEqual([21, 22]);
      const names = soundOf(ingest).map((payload) => nameOf.get(payload));
      expect(names.slice(0, wantedSound.length)).toEqual(wantedSound);
    }
  });

  it('shows the end of a later part that is cut off within a group of pictures', async () => {
    const [first] = timeline;
    const [next] = timelineOf(sponsor);
    const entries = [first!, { ...next!, number: 1, offsetSeconds: 331 / rate }];
    const contentHashes = new Map(clips.map(({ uploadID }) => [uploadID, uploadID]));
    const stretch = { startFrame: 0, frameCount: 12 * rate };
    const track = { entries, contentHashes };
    const parts = partsWithin({ video: track, audio: { entries: [] } }, stretch, format, 20);
    expect(parts.map(({ part: { firstGroup, groupCount } }) => [firstGroup, groupCount])).toEqual([[240, 1]]);
    const made = new Map<string, number>();
    await makeParts(parts, { tools, objects: prepared.objects, pathOf: (hash) => paths.get(hash)! }, made);
    const ingest = new CheckingIngest();
    const recorded = mediaOptions(prepared.objects, () => ({ video: entries, joins: made }));
    await play(recorded, ingest, { startFrame: 270, seconds: 4 });
    expect(recorded.unreadable).toEqual([]);
    const wantedFrames = [
      ...wanted(270, 61),
      ...Array.from({ length: 50 }, (_, frame): BarcodeFrame => ({ clip: 1, frame })),
    ];
    expect((await shownBy(ingest)).slice(0, wantedFrames.length)).toEqual(wantedFrames);
  });

  it('has previews of each time, one after the other', async () => {
    const contentHashes = new Map(clips.map(({ uploadID }) => [uploadID, uploadID]));
    const store = new SegmentStore({ objects: prepared.objects, maxCachedBytes: 64 * 1024 * 1024 });
    const timelines = { video: { entries: timeline, contentHashes }, audio: { entries: [], contentHashes } };
    const framesOf = (played: typeof film) => renditionOf('', played, format).groupCount;
    let end = 0;
    for (let piece = 0; piece < 11; piece++) {
      const frames = framesOfPiece(timeline, piece, { framesPerSecond: rate, gopFrames: 2 * rate, framesOf });
      expect(frames.start).toBe(end);
      end = frames.end;
      const made = await remuxPiece({ format, store, timelines, log: () => {} }, frames);
      expect(made?.fragments.length).toBeGreaterThan(1000);
    }
    expect(end).toBe(seconds * rate);
  });

  it.each([270, 271, 330, 569, 570, 631])('takes over at frame %d as without a takeover', async (startFrame) => {
    const ingest = new CheckingIngest();
    const recorded = mediaOptions(prepared.objects, () => ({ video: timeline }));
    await play(recorded, ingest, { startFrame, seconds: 4 });
    const shown = await shownBy(ingest);
    const { startFrame: rowStart } = occurrenceAt(timeline, startFrame, rate);
    // A connection begins with the keyframe at or before the wanted frame.
    const first = rowStart + Math.floor((startFrame - rowStart) / 60) * 60;
    expect(shown.slice(0, 60)).toEqual(wanted(first, 60));
  });
});

describe('encoded', { timeout: 120_000 }, () => {
  it.each([0, 271, 569, 631])('shows the frames of the timeline from frame %d on', async (startFrame) => {
    const source = await openFrames(encodedOptions, startFrame);
    const ingest = new CheckingIngest();
    const count = startFrame === 0 ? seconds * rate - 40 : 40;
    for (let index = 0; index < count; index++) {
      const { video, frame, samples } = await source.next();
      expect([frame, samples.length]).toEqual([startFrame + index, profile.samplesPerFrame * bytesPerSample]);
      const timestampMs = Math.round((index * 1000) / rate);
      if (video.sequenceHeader) ingest.send([{ type: 'video', timestampMs, payload: video.sequenceHeader }]);
      ingest.send([{ type: 'video', timestampMs, payload: video.payload }]);
    }
    await source.close();
    expect(await shownBy(ingest)).toEqual(wanted(startFrame, count - 4));
  });
});

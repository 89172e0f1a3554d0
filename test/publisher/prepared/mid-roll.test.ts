// An item with breaks: each part begins with the frame after the last one of the part before, also after takeovers.
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { occurrenceAt } from '../../../lambda/domain/playout/play-out.ts';
import type { TimelineEntry } from '../../../lambda/domain/playout/play-out.ts';
import { openFrames } from '../../../lambda/publisher/encoded/ffmpeg-media.ts';
import { profileOf } from '../../../lambda/publisher/ffmpeg/profile.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { makeBarcodeClip, readBarcodes } from '../../support/barcode-clip.ts';
import type { BarcodeFrame } from '../../support/barcode-clip.ts';
import { fastEncoder } from '../../support/media-samples.ts';
import { steps } from '../../support/recording.ts';
import { CheckingIngest, flvOf, frameTimes } from './checking-ingest.ts';
import { format, item, mediaOptions, play, preparedClips } from './prepared-clips.ts';
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

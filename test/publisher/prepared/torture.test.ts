// Uploads of every kind become renditions that match each other, with exact counts and without decoder errors.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { frameCountOf } from '../../../lambda/domain/playout/play-out.ts';
import type { TimelineItem } from '../../../lambda/domain/playout/play-out.ts';
import { firstSoundFrameFrom } from '../../../lambda/domain/playout/prepared-play-out.ts';
import { renditionOf } from '../../../lambda/domain/playout/rendition.ts';
import type { RenditionFormat } from '../../../lambda/domain/playout/rendition.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { probeMedia } from '../../../lambda/publisher/media/probe.ts';
import type { SegmentHeader } from '../../../lambda/publisher/prepared/segment-format.ts';
import { changedSample, mediaSample, serveSamples, trimmedSample, uprightSample } from '../../support/media-samples.ts';
import type { SampleServer } from '../../support/media-samples.ts';
import { deltas, judgeRecording, steps } from '../../support/recording.ts';
import { CheckingIngest, flvOf, frameTimes } from './checking-ingest.ts';
import { format, item, mediaOptions, play, preparedClips, receiveRendition, timelineOf } from './prepared-clips.ts';
import type { PreparedClips } from './prepared-clips.ts';

const tools = await findMediaTools(process.env);
const never = new AbortController().signal;
const rate = 30;
/** The sequence headers of the first rendition: all others must have equal ones. */
let parameters: string | undefined;

/** Each upload with its seconds, and whether it has sound. */
const moving: readonly (readonly [string, number, boolean, () => Promise<string>])[] = [
  ['24 pictures a second, without sound', 2, false, () => mediaSample('silent-24.mov')],
  ['60 pictures a second', 1, true, () => mediaSample('fast-60.mp4')],
  ['one picture a second', 3, true, () => mediaSample('slides.mp4')],
  ['a varying number of pictures', 3.5, false, () => mediaSample('variable.mkv')],
  ['VP9 and Opus', 2, true, () => mediaSample('vp9.webm')],
  ['what browsers record', 6, true, () => mediaSample('recorded.webm')],
  ['10 bits', 1, false, () => mediaSample('ten-bit.mp4')],
  ['colours without subsampling', 1, false, () => mediaSample('no-subsampling.mkv')],
  ['an odd size, open GOPs and reordered pictures, mono at 22.05 kHz', 2, true, () => mediaSample('reordered.mkv')],
  ['PQ', 1, false, () => mediaSample('hdr.mkv')],
  ['HLG in HEVC', 1, true, () => mediaSample('hlg.mp4')],
  ['interlaced', 1, true, () => mediaSample('interlaced.ts')],
  ['anamorphic', 1, false, () => mediaSample('anamorphic.mp4')],
  ['turned upright', 1, true, () => uprightSample()],
  ['5.1 at 96 kHz', 1, true, () => mediaSample('surround.mkv')],
  ['mono at 44.1 kHz', 2, true, () => mediaSample('44100.mp4')],
  ['mono at 8 kHz', 1, true, () => mediaSample('telephone.mkv')],
  ['one picture', 0.033, false, () => mediaSample('one-frame.mp4')],
  ['one picture under all of the sound', 3, true, () => mediaSample('one-picture.mp4')],
  ['sound that is longer', 4, true, () => mediaSample('long-sound.mp4')],
  ['sound that is shorter', 2, true, () => mediaSample('short-sound.mp4')],
  ['sound that begins later', 2, true, () => mediaSample('late-sound.mkv')],
  ['an edit list with which pictures begin later', 2, true, () => mediaSample('delayed.mp4')],
  ['an edit list that begins within a GOP', 1.5, true, () => trimmedSample()],
  [
    'a transport stream that is cut off',
    0.49,
    true,
    () => changedSample('interlaced.ts', 'cut.ts', (bytes) => bytes.subarray(0, bytes.length * 0.6)),
  ],
];
const stills = ['still.png', 'still.jpg', 'still.webp', 'animated.gif', 'transparent.png'] as const;
const songs = [
  ['song.mp3', 3],
  ['song.wav', 2],
  ['song.flac', 2],
  ['song.m4a', 2],
  ['song.aac', 2],
  ['song.ogg', 2],
  ['cover.mp3', 2],
  ['studio.wav', 2],
  ['telephone.wav', 2],
  ['plain.mp4', 2],
] as const;

let folder: string;
let samples: SampleServer;
let prepared: PreparedClips;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'torture-'));
  samples = await serveSamples();
  prepared = await preparedClips(tools);
});
afterAll(async () => {
  await rm(folder, { recursive: true });
  await samples[Symbol.asyncDispose]();
  await prepared[Symbol.asyncDispose]();
});
/** The items with pictures that earlier tests have prepared. */
const items: TimelineItem[] = [];

/** An item with the facts that the probe finds in a file. */
async function itemOf(path: string): Promise<TimelineItem> {
  const facts = await probeMedia(tools, samples.urlOf(path), { mimeType: null, type: null, fileSize: null }, never);
  const { kind, durationSeconds, hasAudio, dynamicRange } = facts;
  return item(`upload-${items.length}`, durationSeconds ?? 10, { kind, hasAudio, dynamicRange });
}

async function prepare(
  it: TimelineItem,
  path: string,
  wanted: RenditionFormat = format,
): ReturnType<typeof receiveRendition> {
  await prepared.prepare(it, samples.urlOf(path), wanted);
  return receiveRendition(prepared.objects, renditionOf(it.uploadID, it, wanted));
}

async function decode(ingest: CheckingIngest) {
  const path = join(folder, 'stream.flv');
  await writeFile(path, flvOf(ingest));
  return judgeRecording(tools, path);
}

/** Expects all pictures and all sound at their times, and the same parameters as in every other rendition. */
async function expectWhole({ headers, ingest }: Awaited<ReturnType<typeof prepare>>, pictures: number): Promise<void> {
  expect(headers.reduce((sum, { groupCount }) => sum + groupCount, 0)).toBe(pictures);
  expect(frameTimes(ingest.video)).toHaveLength(pictures);
  expect(frameTimes(ingest.audio)).toHaveLength(firstSoundFrameFrom(pictures, rate));
  expect(deltas(frameTimes(ingest.video)).every((delta) => delta === 33 || delta === 34)).toBe(true);
  expect(deltas(frameTimes(ingest.audio)).every((delta) => delta === 21 || delta === 22)).toBe(true);
  parameters ??= parametersOf(headers[0]!);
  expect(new Set(headers.map(parametersOf))).toEqual(new Set([parameters]));
  const { decodeErrors, video, audio } = await decode(ingest);
  expect(decodeErrors).toBe('');
  expect(video).toMatchObject({ codec: 'h264', width: 1280, height: 720 });
  expect(audio).toMatchObject({ codec: 'aac', sampleRate: '48000' });
}
const parametersOf = ({ videoSequenceHeader, audioSequenceHeader }: SegmentHeader) =>
  `${videoSequenceHeader!.toString('hex')} ${audioSequenceHeader.toString('hex')}`;

describe('preparing an upload:', { timeout: 600_000 }, () => {
  it.each(moving)('%s', async (_, seconds, hasAudio, sample) => {
    const path = await sample();
    const it = await itemOf(path);
    expect(it).toMatchObject({ kind: 'video', hasAudio });
    expect(Math.abs(it.durationSeconds - seconds)).toBeLessThan(0.1);
    await expectWhole(await prepare(it, path), frameCountOf(it, rate));
    items.push(it);
  });

  it.each(stills)('%s', async (name) => {
    const path = await mediaSample(name);
    const it = await itemOf(path);
    expect(it).toMatchObject({ kind: 'image', hasAudio: false });
    // A still becomes one GOP, which is repeated.
    await expectWhole(await prepare(it, path), 2 * rate);
    items.push(it);
  });

  it('a file whose end is missing holds its last picture', async () => {
    const path = await changedSample('front-index.mp4', 'cut.mp4', (bytes) => bytes.subarray(0, bytes.length * 0.7));
    // The probe refuses such a file: it was damaged after its inspection.
    await expect(itemOf(path)).rejects.toMatchObject({ code: 'truncated' });
    const it = item('cut', 8);
    await expectWhole(await prepare(it, path), 8 * rate);
    items.push(it);
  });

  it.each(songs)('the sound of %s alone', async (name, seconds) => {
    const path = await mediaSample(name);
    const it = item(`sound-of-${name.replace('.', '-')}`, (await itemOf(path)).durationSeconds, { kind: 'audio' });
    expect(Math.abs(it.durationSeconds - seconds)).toBeLessThan(0.1);
    const { headers, ingest } = await prepare(it, path, 'sound');
    const frames = frameTimes(ingest.audio).length;
    expect(headers[0]!.groupCount).toBe(frames);
    // Long enough for every frame rate, and not much longer.
    expect((frames * 1024) / 48_000).toBeGreaterThanOrEqual(it.durationSeconds);
    expect((frames * 1024) / 48_000).toBeLessThan(it.durationSeconds + 0.1);
    expect(headers[0]!.audioSequenceHeader.toString('hex')).toBe(parameters!.split(' ')[1]);
  });

  it('all of them play one after the other as one stream', async () => {
    const ingest = new CheckingIngest();
    const run = mediaOptions(prepared.objects, () => ({ video: timelineOf(...items) }));
    const seconds = items.reduce((sum, it) => sum + frameCountOf(it, rate) / rate, 0);
    await play(run, ingest, { seconds: seconds + 5 });
    expect(run.unreadable).toEqual([]);
    expect(steps(frameTimes(ingest.video))).toEqual([33, 34]);
    expect(steps(frameTimes(ingest.audio))).toEqual([21, 22]);
    // There is one sequence header of each kind for the whole rendition.
    expect(ingest.video.filter(({ payload }) => payload[1] === 0)).toHaveLength(1);
    expect(ingest.audio.filter(({ payload }) => payload[1] === 0)).toHaveLength(1);
    const { decodeErrors, video } = await decode(ingest);
    expect(decodeErrors).toBe('');
    expect(video).toMatchObject({ codec: 'h264', width: 1280, height: 720 });
  });
});

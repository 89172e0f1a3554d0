// Videos and stills joined by crossfades, through black and by stingers, with both backends.
import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { PictureJoin } from '../../../lambda/domain/playout/look.ts';
import { plainSound } from '../../support/plain-sound.ts';
import { picturePartsAt } from '../../../lambda/domain/playout/composition-parts.ts';
import { withPictureJoins } from '../../../lambda/domain/playout/item-joins.ts';
import { frameCountOf, occurrencesFrom } from '../../../lambda/domain/playout/play-out.ts';
import type { TimelineEntry } from '../../../lambda/domain/playout/play-out.ts';
import { openComposedAudio, readAll } from '../../../lambda/publisher/ffmpeg/composed-audio.ts';
import { audioFormat } from '../../../lambda/publisher/ffmpeg/profile.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { madeSample } from '../../support/media-samples.ts';
import { steps } from '../../support/recording.ts';
import { makeStingerClip, shareOfStinger, stingerClip } from '../../support/stinger-clip.ts';
import { CheckingIngest, flvOf, frameTimes } from './checking-ingest.ts';
import { heardEncoded, heardOf, largestStep, openEncoded, powersOf } from './heard-sound.ts';
import { makeParts } from './made-parts.ts';
import { format, item, mediaOptions, play, preparedClips, timelineOf } from './prepared-clips.ts';
import type { PreparedClips } from './prepared-clips.ts';

const run = promisify(execFile);
const tools = await findMediaTools(process.env);
const rate = 30;
const amplitude = 0.25;
const never = new AbortController().signal;
/** Clips with one luma each, so that every picture of a stream reveals the weights of its sources. */
const clips = [
  { clip: item('bright', 7.3), luma: 200, hertz: 440 },
  { clip: item('still', 10, { kind: 'image', hasAudio: false }), luma: 130, hertz: 0 },
  { clip: item('dark', 6.1), luma: 60, hertz: 700 },
] as const;
const stinger = { contentHash: 'stinger', uploadID: 'stinger', objectKey: 'stinger', hasAudio: true, ...stingerClip };
const videos = [clips[0].clip, clips[2].clip];
const all = clips.map(({ clip }) => clip);
const paths = new Map<string, string>();
const made = new Map<string, number>();
let prepared: PreparedClips;

beforeAll(async () => {
  prepared = await preparedClips(tools);
  for (const { clip, luma, hertz } of clips) {
    const { kind, durationSeconds } = clip;
    const grey = `color=gray:s=320x180:r=30:d=${durationSeconds},format=yuv420p,lutyuv=y=${luma}:u=128:v=128`;
    const tagged = ['-color_range', 'tv', '-colorspace', 'bt709'];
    const wave = `${amplitude}*sin(2*PI*${hertz}*t)`;
    const tone = ['-f', 'lavfi', '-i', `aevalsrc=${wave}|${wave}:s=48000:d=${durationSeconds}`];
    const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '4', ...tagged];
    const video = ['-f', 'lavfi', '-i', grey, ...tone, ...x264, '-c:a', 'pcm_s16le'];
    const recipe = kind === 'image' ? ['-f', 'lavfi', '-i', grey, '-frames:v', '1'] : video;
    const extension = kind === 'image' ? 'png' : 'mov';
    const path = await madeSample(`joined-${luma}-${hertz}-${durationSeconds}.${extension}`, recipe);
    paths.set(clip.uploadID, path);
    await prepared.prepare(clip, path);
  }
  paths.set(stinger.uploadID, await makeStingerClip());
});
afterAll(() => prepared[Symbol.asyncDispose]());

function timelineWith(wish: PictureJoin, items = videos): TimelineEntry[] {
  return timelineOf(...withPictureJoins(items, wish, { seconds: wish.seconds, stinger }));
}

async function makeJoins(entries: readonly TimelineEntry[], seconds: number): Promise<void> {
  const contentHashes = new Map(all.map(({ uploadID }) => [uploadID, uploadID]));
  for (const occurrence of occurrencesFrom(entries, 0, rate)) {
    if (occurrence.startFrame > seconds * rate) return;
    const parts = picturePartsAt({ entries, contentHashes }, occurrence, format);
    await makeParts(parts, { tools, objects: prepared.objects, pathOf: (hash) => paths.get(hash)! }, made);
  }
}

async function received(entries: readonly TimelineEntry[], seconds: number, startFrame = 0, joins = made) {
  const ingest = new CheckingIngest();
  const recorded = mediaOptions(prepared.objects, () => ({ video: entries, joins }));
  await play(recorded, ingest, { seconds, startFrame });
  expect(recorded.unreadable).toEqual([]);
  return ingest;
}

/** The luma of each picture of a file: the mean of a small area left of and above its centre. */
async function lumasOf(bytes: Buffer, extension: string): Promise<number[]> {
  const path = join(tmpdir(), `lumas-${crypto.randomUUID()}.${extension}`);
  await writeFile(path, bytes);
  // Two by two pixels: 4 bytes of luma, and 2 of colour. For a single plane, the grey depends on the build of ffmpeg.
  const filters = 'crop=64:64,scale=2:2:flags=area,format=yuv420p';
  const { stdout } = await run(
    tools.ffmpegPath,
    ['-v', 'error', '-i', path, '-map', '0:v', '-vf', filters, '-fps_mode', 'passthrough', '-f', 'rawvideo', '-'],
    { encoding: 'buffer' },
  );
  await rm(path);
  // The last pictures may be shown without their reference pictures.
  return Array.from({ length: stdout.length / 6 - 6 }, (_, picture) => stdout[picture * 6]!);
}

/** The expected luma of each picture, by the timeline. */
function wantedLumas(entries: readonly TimelineEntry[], count: number): number[] {
  const lumaOf = new Map<string, number>(clips.map(({ clip, luma }) => [clip.uploadID, luma]));
  const lumas: number[] = [];
  let before: number | null = null;
  for (const { item: playing, frameCount } of occurrencesFrom(entries, 0, rate)) {
    if (lumas.length >= count) return lumas.slice(0, count);
    const luma = lumaOf.get(playing.uploadID)!;
    const { kind, seconds = 0 } = playing.join ?? {};
    const fade = Math.round(seconds * rate);
    const end = frameCountOf(playing, rate);
    for (let frame = 0; frame < frameCount; frame++) {
      if (kind === 'stinger') {
        const share = shareOfStinger(frame - end + fade) || (before === null ? 0 : shareOfStinger(frame + fade));
        lumas.push(luma + (stinger.luma - luma) * share);
        continue;
      }
      const into = before === null ? 1 : Math.min(1, frame / fade);
      const outOf = kind === 'dip' ? Math.min(1, Math.max(0, (end - frame) / fade)) : 1;
      const beneath = kind === 'crossfade' ? (before ?? luma) : 16;
      const shown = beneath + (luma - beneath) * into;
      lumas.push(16 + (shown - 16) * outOf);
    }
    before = luma;
  }
  return lumas;
}

function farthestFrom(wanted: readonly number[], lumas: readonly number[]): number {
  return Math.max(...lumas.map((luma, index) => Math.abs(luma - wanted[index]!)));
}

const payloads = ({ video, audio }: CheckingIngest) =>
  [...video, ...audio].filter(({ payload }) => payload[1] === 1).map(({ payload }) => payload.toString('base64'));

describe.each([
  ['a crossfade of 2 s between videos', { kind: 'crossfade', seconds: 2 }, videos],
  ['a crossfade of 0.7 s, also from and to a still', { kind: 'crossfade', seconds: 0.7 }, all],
  ['a dip to black, also of a still', { kind: 'dip', seconds: 1 }, all],
  ['a stinger with transparency, also over a still', { kind: 'stinger', seconds: 0.9 }, all],
] as const)('%s', (_, wish, items) => {
  const entries = timelineWith(wish, [...items]);
  const seconds = 30;

  it('is seen as the timeline says, on an even grid, and heard without a click', async () => {
    await makeJoins(entries, seconds);
    const ingest = await received(entries, seconds);
    expect([steps(frameTimes(ingest.video)), steps(frameTimes(ingest.audio))]).toEqual([
      [33, 34],
      [21, 22],
    ]);
    const lumas = await lumasOf(flvOf(ingest), 'flv');
    expect(lumas.length).toBeGreaterThan((seconds - 1) * rate);
    const off = farthestFrom(wantedLumas(entries, lumas.length), lumas);
    const samples = await heardOf(tools, ingest);
    const step = largestStep(samples) / ((2 * Math.PI * 700 * amplitude) / audioFormat.sampleRate);
    console.log(`luma off by ${off.toFixed(1)} at most, largest step ${step.toFixed(3)} of the tone's`);
    expect({ isOff: off > 6, isClick: step > Math.SQRT2 }).toEqual({ isOff: false, isClick: false });
    if (items.length > 2 || wish.kind === 'dip') return;
    const powers = powersOf(samples, 0.25, amplitude).slice(1, -4);
    expect(powers.filter((dB) => Math.abs(dB) > 1)).toEqual([]);
  });

  it('is the same for whoever begins in the middle of it', async () => {
    const whole = new Set(payloads(await received(entries, seconds)));
    const [, second] = [...occurrencesFrom(entries, 0, rate).take(2)];
    const later = payloads(await received(entries, 3, second!.startFrame + 11));
    expect(later.length).toBeGreaterThan(150);
    expect(later.filter((payload) => !whole.has(payload))).toEqual([]);
  });

  it('is a cut as long as nobody has made it', async () => {
    const ingest = await received(entries, 10, 0, new Map());
    expect(steps(frameTimes(ingest.video))).toEqual([33, 34]);
    const lumas = new Set(await lumasOf(flvOf(ingest), 'flv'));
    expect([...lumas].filter((luma) => clips.every((clip) => Math.abs(clip.luma - luma) > 4))).toEqual([]);
  });

  it('looks and sounds the same encoded while it is sent, also from its middle on', async () => {
    const wanted = wantedLumas(entries, 12 * rate);
    expect(farthestFrom(wanted, await seenEncoded(entries, 10, 0))).toBeLessThan(6);
    const [, second] = [...occurrencesFrom(entries, 0, rate).take(2)];
    for (const startFrame of [second!.startFrame + 7, second!.startFrame - 7]) {
      const off = farthestFrom(wanted.slice(startFrame), await seenEncoded(entries, 1, startFrame));
      expect(off).toBeLessThan(6);
    }
    const sound = await heardEncoded(
      tools,
      { video: entries, audio: [], pathOf: (key) => paths.get(key)! },
      { seconds: 10 },
    );
    expect(largestStep(sound)).toBeLessThan((Math.SQRT2 * 2 * Math.PI * 700 * amplitude) / audioFormat.sampleRate);
  });
});

it('hears a stinger over the end of an item and the beginning of the next one, by both backends', async () => {
  const entries = timelineWith({ kind: 'stinger', seconds: 0.9 }, all);
  await makeJoins(entries, 20);
  const tracks = { video: entries, audio: [], pathOf: (key: string) => paths.get(key)! };
  const heard = [await heardOf(tools, await received(entries, 20)), await heardEncoded(tools, tracks, { seconds: 20 })];
  const stretches = [5, 6.6, 7.5, 9, 16.6, 17.5];
  for (const samples of heard) {
    const levels = stretches.map((from) => levelOf(samples, stinger.hertz, from, 0.5) / stinger.amplitude);
    console.log(`of the stinger are heard ${levels.map((level) => level.toFixed(2)).join(', ')}`);
    expect(levels.map((level) => Math.round(level * 10) / 10)).toEqual([0, 1, 1, 0, 1, 1]);
  }
});

it('does not fade a part of an item that ends before the item does', async () => {
  const [{ clip, hertz }] = clips;
  const { item: voice, ...sound } = plainSound(clip.uploadID);
  const lastSample = 7.3 * audioFormat.sampleRate;
  const fades = [{ direction: 'out', start: lastSample - audioFormat.sampleRate, end: lastSample } as const];
  const count = 2 * audioFormat.sampleRate;
  const part = { sound: { ...sound, item: { ...voice, fades } }, startSample: 0, count };
  const audio = openComposedAudio(tools, { ...part, urlOf: (source) => paths.get(source)! }, never);
  onTestFinished(() => audio.close());
  const samples = await readAll(audio, count);
  const left = Float32Array.from({ length: count }, (_, at) => samples[2 * at]! / 32_768);
  expect(levelOf(left, hertz, 1.5, 0.5)).toBeCloseTo(amplitude, 2);
});

/** Amplitude of a frequency in a part of samples. */
function levelOf(samples: Float32Array, hertz: number, fromSeconds: number, seconds: number): number {
  const { sampleRate } = audioFormat;
  const part = samples.subarray(fromSeconds * sampleRate, (fromSeconds + seconds) * sampleRate);
  let [cosine, sine] = [0, 0];
  for (const [at, sample] of part.entries()) {
    const angle = (2 * Math.PI * hertz * at) / sampleRate;
    cosine += sample * Math.cos(angle);
    sine += sample * Math.sin(angle);
  }
  return (2 * Math.hypot(cosine, sine)) / part.length;
}

/** The luma of each picture that the ffmpeg backend encodes. */
async function seenEncoded(entries: readonly TimelineEntry[], seconds: number, startFrame: number): Promise<number[]> {
  const source = await openEncoded(tools, { video: entries, audio: [], pathOf: (key) => paths.get(key)! }, startFrame);
  const ingest = new CheckingIngest();
  for (let frame = 0; frame < seconds * rate; frame++) {
    const { video } = await source.next();
    const timestampMs = Math.round((frame * 1000) / rate);
    if (video.sequenceHeader) ingest.send([{ type: 'video', timestampMs, payload: video.sequenceHeader }]);
    ingest.send([{ type: 'video', timestampMs, payload: video.payload }]);
  }
  await source.close();
  return lumasOf(flvOf(ingest), 'flv');
}

// Songs with crossfades and fades: no click, constant power, exact times, and equal output of all senders.
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { framesUntilNext, occurrencesFrom } from '../../../lambda/domain/playout/play-out.ts';
import type { TimelineEntry, TimelineItem } from '../../../lambda/domain/playout/play-out.ts';
import { renditionOf } from '../../../lambda/domain/playout/rendition.ts';
import { soundPartsAt } from '../../../lambda/domain/playout/composition-parts.ts';
import { withJoins } from '../../../lambda/domain/playout/item-joins.ts';
import type { Join } from '../../../lambda/domain/playout/sound.ts';
import { audioFormat } from '../../../lambda/publisher/ffmpeg/profile.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { segmentKey } from '../../../lambda/publisher/prepared/segment-format.ts';
import { SegmentStore } from '../../../lambda/publisher/prepared/segment-store.ts';
import { fastEncoder, madeSample } from '../../support/media-samples.ts';
import { steps } from '../../support/recording.ts';
import { CheckingIngest, frameTimes } from './checking-ingest.ts';
import { heardEncoded, heardOf, largestStep, openEncoded, powersOf } from './heard-sound.ts';
import { makeParts } from './made-parts.ts';
import { item, keepAtHand, mediaOptions, play, preparedClips, timelineOf } from './prepared-clips.ts';
import type { PreparedClips } from './prepared-clips.ts';

const tools = await findMediaTools(process.env);
const rate = 30;
const songCount = 20;
const laps = 3;
const amplitude = 0.25;
/** Songs that last no whole number of pictures or AAC frames. */
const songs = Array.from({ length: songCount }, (_, index) => item(`song${index}`, 7.013 + 0.071 * index));
/** Frequencies far enough apart that two of them do not beat slowly. */
const hertzOf = ({ uploadID }: TimelineItem) => 220 + 40 * Number(uploadID.slice('song'.length));
const paths = new Map<string, string>();
const picture = item('picture', 4);
const crossfade = { kind: 'crossfade', seconds: 3 } as const;

let clips: PreparedClips;
/** A store that returns everything at once, because the test's clock does not wait for reads of the sound track. */
let store: SegmentStore;
/** First sending times of joins in seconds, by name. */
const made = new Map<string, number>();

beforeAll(async () => {
  clips = await preparedClips(tools);
  store = new SegmentStore({ objects: clips.objects, maxCachedBytes: 512 * 1024 * 1024 });
  paths.set(picture.uploadID, await madeSample('joins-picture.mp4', pictureRecipe));
  await clips.prepare(picture, paths.get(picture.uploadID)!);
  for (const song of songs) {
    const tone = `aevalsrc='${amplitude}*sin(2*PI*${hertzOf(song)}*t)|${amplitude}*sin(2*PI*${hertzOf(song)}*t)'`;
    const input = ['-f', 'lavfi', '-i', `${tone}:s=48000:d=${song.durationSeconds}`];
    const path = await madeSample(`joined-${hertzOf(song)}-${song.durationSeconds}.wav`, [
      ...input,
      '-c:a',
      'pcm_s16le',
    ]);
    paths.set(song.uploadID, path);
    await clips.prepare(song, path, 'sound', fastEncoder);
    await keepAtHand(store, segmentKey(renditionOf(song.uploadID, song, 'sound'), 0));
  }
}, 300_000);
afterAll(() => clips[Symbol.asyncDispose]());

const pictureRecipe = [
  ['-f', 'lavfi', '-i', 'color=s=320x180:r=30:d=4'],
  ['-c:v', 'libx264', '-preset', 'ultrafast', '-an'],
].flat();

function timelineWith(wish: Join, mode: 'sequential' | 'shuffle'): TimelineEntry[] {
  const [entry] = timelineOf();
  return [{ ...entry!, snapshot: { mode, seed: 7, items: withJoins(songs, wish, mode) } }];
}

/** Makes the joins of the first seconds, as workers would. */
async function makeJoins(entries: readonly TimelineEntry[], seconds: number): Promise<void> {
  const contentHashes = new Map(songs.map(({ uploadID }) => [uploadID, uploadID]));
  for (const occurrence of occurrencesFrom(entries, 0, rate)) {
    if (occurrence.startFrame > seconds * rate) return;
    const parts = soundPartsAt({ entries, contentHashes }, occurrence, rate);
    const pathOf = (contentHash: string) => paths.get(contentHash)!;
    for (const key of await makeParts(parts, { tools, objects: clips.objects, pathOf }, made))
      await keepAtHand(store, key);
  }
}

const heard = ({ ingest }: { ingest: CheckingIngest }) => heardOf(tools, ingest);
const powers = (samples: Float32Array) => powersOf(samples, 0.25, amplitude);
const encodedTracks = (audio: readonly TimelineEntry[]) => ({
  video: timelineOf(picture),
  audio,
  pathOf: (key: string) => paths.get(key)!,
});
const encoded = (entries: readonly TimelineEntry[], seconds: number, startFrame: number) =>
  heardEncoded(tools, encodedTracks(entries), { seconds, startFrame });

async function received(entries: readonly TimelineEntry[], seconds: number, startFrame = 0) {
  const ingest = new CheckingIngest();
  const recorded = mediaOptions(store, () => ({ video: timelineOf(picture), audio: entries, joins: made }));
  await play(recorded, ingest, { seconds, startFrame });
  return { ingest, ...recorded };
}

const payloads = ({ ingest }: { ingest: CheckingIngest }) =>
  ingest.audio.filter(({ payload }) => payload[1] === 1).map(({ payload }) => payload.toString('base64'));

describe(`crossfades of 3 s between ${songCount} songs, shuffled, ${laps} laps`, { timeout: 240_000 }, () => {
  const entries = timelineWith(crossfade, 'shuffle');
  const lapSeconds = songs.reduce((sum, each) => sum + framesUntilNext({ ...each, join: crossfade }, rate), 0) / rate;
  const seconds = laps * lapSeconds;
  let whole: Awaited<ReturnType<typeof received>>;
  let samples: Float32Array;

  beforeAll(async () => {
    await makeJoins(entries, seconds);
    whole = await received(entries, seconds);
    samples = await heard(whole);
  }, 240_000);

  it('last exactly as long as they should', () => {
    const songSeconds = songs.reduce((sum, { durationSeconds }) => sum + Math.round(durationSeconds * rate) / rate, 0);
    expect(lapSeconds).toBeCloseTo(songSeconds - 3 * songCount, 6);
    const sent = frameTimes(whole.ingest.audio);
    expect(steps(sent)).toEqual([21, 22]);
    // A sender is half a second ahead of its time.
    expect((sent.at(-1)! - sent[0]!) / 1000).toBeGreaterThan(seconds - 1);
    expect(whole.unreadable).toEqual([]);
  });

  it('have no click and constant power', () => {
    const fastest = Math.max(...songs.map(hertzOf));
    const stepOfSong = (2 * Math.PI * fastest * amplitude) / audioFormat.sampleRate;
    const found = { step: largestStep(samples) / stepOfSong, powers: powers(samples).slice(1, -8) };
    const off = found.powers.filter((dB) => Math.abs(dB) > 1);
    console.log(
      `largest step ${found.step.toFixed(3)} of a song's, power ${Math.min(...found.powers).toFixed(2)} to ` +
        `${Math.max(...found.powers).toFixed(2)} dB over ${found.powers.length} quarters of a second`,
    );
    expect({ isClick: found.step > Math.SQRT2, off }).toEqual({ isClick: false, off: [] });
  });

  it('are the same for whoever begins in the middle of one', async () => {
    const all = new Set(payloads(whole));
    const fades = [...occurrencesFrom(entries, 1, rate).take(6)];
    for (const { startFrame } of fades) {
      const later = payloads(await received(entries, 3, startFrame + 41));
      expect(later.length).toBeGreaterThan(60);
      // The connection begins with a keyframe of the pictures.
      expect(later.filter((payload) => !all.has(payload))).toEqual([]);
    }
  });
});

it('fades go through silence, without a click, at exact times', { timeout: 120_000 }, async () => {
  const entries = timelineWith({ kind: 'fade', seconds: 1 }, 'sequential');
  const seconds = 30;
  await makeJoins(entries, seconds);
  const recorded = await received(entries, seconds);
  expect(steps(frameTimes(recorded.ingest.audio))).toEqual([21, 22]);
  expect(recorded.unreadable).toEqual([]);
  expect(fadesOf(await heard(recorded), entries, seconds)).toEqual(fadesWanted(entries, seconds));
});

describe.each([
  ['crossfade', crossfade],
  // The product with the sample rate is not a whole number in floating point.
  ['crossfade of 2.3 s', { kind: 'crossfade', seconds: 2.3 }],
  ['fade', { kind: 'fade', seconds: 1 }],
] as const)('encoded while it is sent, a %s', (kind, wish) => {
  it('sounds as it does prepared', { timeout: 120_000 }, async () => {
    const entries = timelineWith(wish, 'sequential');
    const seconds = 16;
    const samples = await encoded(entries, seconds, 0);
    const fastest = Math.max(...songs.map(hertzOf));
    const stepOfSong = (2 * Math.PI * fastest * amplitude) / audioFormat.sampleRate;
    expect(largestStep(samples)).toBeLessThan(Math.SQRT2 * stepOfSong);
    if (kind === 'fade') expect(fadesOf(samples, entries, seconds)).toEqual(fadesWanted(entries, seconds));
    else expect(powers(samples).filter((dB) => Math.abs(dB) > 1)).toEqual([]);
    // A sender that begins later, even within a join, sends the same sound.
    const { startFrame } = occurrencesFrom(entries, 1, rate).drop(1).next().value!;
    const later = await encoded(entries, 3, startFrame + 17);
    const first = (startFrame + 17) * (audioFormat.sampleRate / rate);
    expect(farthest(later, samples.subarray(first, first + later.length))).toBeLessThan(0.001);
  });
});

it('encoded while it is sent, a song stands in for one that cannot be decoded, and each frame says so', async () => {
  const bad = item('bad', 1);
  const path = join(tmpdir(), `bad-${crypto.randomUUID()}.wav`);
  paths.set(bad.uploadID, path);
  await writeFile(path, 'no sound');
  const source = await openEncoded(tools, encodedTracks(timelineOf(bad, songs[0]!)), 0);
  const standIns: (string | null)[] = [];
  for (let frame = 0; frame < 2 * rate; frame++) standIns.push((await source.next()).soundStandIn);
  await source.close();
  await rm(path);
  expect(standIns).toEqual([...Array<string>(rate).fill('song0'), ...Array<null>(rate).fill(null)]);
});

function farthest(some: Float32Array, others: Float32Array): number {
  return some.reduce((most, sample, at) => Math.max(most, Math.abs(sample - others[at]!)), 0);
}

/** Levels of a recording's joins in their middle, and a second before and after it. */
function fadesOf(samples: Float32Array, entries: readonly TimelineEntry[], seconds: number): object[] {
  const isLoud = (second: number) => {
    const middle = Math.round(second * audioFormat.sampleRate);
    return largestOf(samples.subarray(middle - 480, middle + 480)) > amplitude / 10;
  };
  return joinTimes(entries, seconds).map((at) => [isLoud(at - 1.1), isLoud(at), isLoud(at + 1.1)]);
}
const fadesWanted = (entries: readonly TimelineEntry[], seconds: number) =>
  joinTimes(entries, seconds).map(() => [true, false, true]);
const joinTimes = (entries: readonly TimelineEntry[], seconds: number) =>
  [...occurrencesFrom(entries, 1, rate).take(100)]
    .map(({ startFrame }) => startFrame / rate)
    .filter((at) => at > 0 && at < seconds - 2);
const largestOf = (samples: Float32Array) => samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);

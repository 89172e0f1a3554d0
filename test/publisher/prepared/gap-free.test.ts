// An album plays as recorded: no gap, click or seam between its tracks, whatever their codec is.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { occurrencesFrom } from '../../../lambda/domain/playout/play-out.ts';
import type { TimelineEntry, TimelineItem } from '../../../lambda/domain/playout/play-out.ts';
import { soundPartsAt } from '../../../lambda/domain/playout/composition-parts.ts';
import { withJoins } from '../../../lambda/domain/playout/item-joins.ts';
import { audioFormat } from '../../../lambda/publisher/ffmpeg/profile.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { probeMedia } from '../../../lambda/publisher/media/probe.ts';
import { fastEncoder, madeSample } from '../../support/media-samples.ts';
import { steps } from '../../support/recording.ts';
import { CheckingIngest, frameTimes } from './checking-ingest.ts';
import { heardEncoded, heardOf, heardOfFile, largestStep, powersOf } from './heard-sound.ts';
import { makeParts } from './made-parts.ts';
import { item, mediaOptions, play, preparedClips, timelineOf } from './prepared-clips.ts';
import type { PreparedClips } from './prepared-clips.ts';

const tools = await findMediaTools(process.env);
const rate = 30;
const amplitude = 0.25;
const hertz = 440;
/** Ends of tracks, none at a picture, an AAC frame or a zero of the tone, which continues across tracks. */
const ends = [7.0137, 14.3391, 21.5558, 28.8713, 36.1049, 44];
const albums = [
  ['without a loss', ['wav', 'flac', 'wav', 'flac', 'flac', 'wav']],
  ['by encoders that pad', ['mp3', 'opus', 'mp3', 'opus', 'mp3', 'mp3']],
] as const;
const codecs = { wav: 'pcm_s16le', mp3: 'libmp3lame', opus: 'libopus', flac: 'flac' };
const never = new AbortController().signal;
const paths = new Map<string, string>();
const picture = item('gap-free-picture', 4);
let clips: PreparedClips;
const made = new Map<string, number>();
/** Duration that includes all joins, also that from the end to the beginning. */
const seconds = 52;

beforeAll(async () => {
  clips = await preparedClips(tools);
  const video = ['-f', 'lavfi', '-i', 'color=s=320x180:r=30:d=4', '-c:v', 'libx264', '-preset', 'ultrafast'];
  paths.set(picture.uploadID, await madeSample('joins-picture.mp4', [...video, '-an']));
  await clips.prepare(picture, paths.get(picture.uploadID)!);
});
afterAll(() => clips[Symbol.asyncDispose]());

/** The uploaded tracks of an album, and the largest step between samples in any of their files. */
async function albumOf(extensions: readonly (keyof typeof codecs)[]) {
  const songs: TimelineItem[] = [];
  const stepsOfFiles: number[] = [];
  for (const [index, extension] of extensions.entries()) {
    const [start, end] = [ends[index - 1] ?? 0, ends[index]!];
    const tone = `${amplitude}*sin(2*PI*${hertz}*(t+${start}))`;
    const input = ['-f', 'lavfi', '-i', `aevalsrc=${tone}|${tone}:s=48000:d=${end - start}`, '-c:a', codecs[extension]];
    const bitrate = extension === 'mp3' || extension === 'opus' ? ['-b:a', '256k'] : [];
    const path = await madeSample(`album-${start}-${end}.${extension}`, [...input, ...bitrate]);
    const facts = await probeMedia(tools, path, { mimeType: null, type: null, fileSize: null }, never);
    expect(facts.durationSeconds).toBeCloseTo(end - start, 3);
    const song = item(`track${index}.${extension}`, facts.durationSeconds!, { kind: 'audio' });
    paths.set(song.uploadID, path);
    songs.push(song);
    stepsOfFiles.push(largestStep(await heardOfFile(tools, path)));
    await clips.prepare(song, path, 'sound', fastEncoder, { itemSeconds: song.durationSeconds });
  }
  const items = withJoins(songs, { kind: 'gap_free', seconds: 3 });
  return { entries: timelineOf(...items), largestStep: Math.max(...stepsOfFiles) };
}

async function makeJoins(entries: readonly TimelineEntry[]): Promise<void> {
  const contentHashes = new Map([...paths.keys()].map((uploadID) => [uploadID, uploadID]));
  for (const occurrence of occurrencesFrom(entries, 0, rate)) {
    if (occurrence.startFrame > seconds * rate) return;
    const parts = soundPartsAt({ entries, contentHashes }, occurrence, rate);
    await makeParts(parts, { tools, objects: clips.objects, pathOf: (hash) => paths.get(hash)! }, made);
  }
}

async function received(entries: readonly TimelineEntry[]) {
  const ingest = new CheckingIngest();
  const recorded = mediaOptions(clips.objects, () => ({ video: timelineOf(picture), audio: entries, joins: made }));
  await play(recorded, ingest, { seconds });
  expect(recorded.unreadable).toEqual([]);
  return ingest;
}

/** Checks a tone for seams: without one, its power is constant, and no step is larger than in its files. */
function seamsOf(samples: Float32Array, stepOfFiles: number) {
  const heard = samples.subarray(audioFormat.sampleRate, (seconds - 2) * audioFormat.sampleRate);
  const off = powersOf(heard, 1 / 44, amplitude).map((dB) => Math.abs(dB));
  return { step: largestStep(heard) / stepOfFiles, dB: Math.max(...off) };
}

function expectSeamless(what: string, samples: Float32Array, stepOfFiles: number): void {
  const { step, dB } = seamsOf(samples, stepOfFiles);
  console.log(`${what}: largest step ${step.toFixed(3)} of that of its files, power within ${dB.toFixed(2)} dB`);
  expect({ isClick: step > 1.2, isGap: dB > 1 }).toEqual({ isClick: false, isGap: false });
}

describe.each(albums)('an album that is encoded %s', (how, extensions) => {
  let entries: TimelineEntry[];
  let stepOfFiles: number;
  beforeAll(async () => {
    const album = await albumOf(extensions);
    entries = album.entries;
    stepOfFiles = album.largestStep;
  });

  it('has seams as long as its joins are not made', async () => {
    const { dB } = seamsOf(await heardOf(tools, await received(entries)), stepOfFiles);
    expect(dB).toBeGreaterThan(1);
  });

  it('is heard without a seam, and lasts as long as its tracks', async () => {
    await makeJoins(entries);
    const ingest = await received(entries);
    expect(steps(frameTimes(ingest.audio))).toEqual([21, 22]);
    const [, ...laps] = [...occurrencesFrom(entries, 0, rate).take(ends.length + 1)];
    expect(Math.abs(laps.at(-1)!.startFrame / rate - 44)).toBeLessThan(ends.length / 2 / rate);
    expectSeamless(`${how}, prepared`, await heardOf(tools, ingest), stepOfFiles);
  });

  it('is heard without a seam where it is encoded while it is sent, and from the middle on', async () => {
    const video = timelineOf(picture);
    const ask = { video, audio: entries, pathOf: (key: string) => paths.get(key)! };
    const whole = await heardEncoded(tools, ask, { seconds });
    expectSeamless(`${how}, encoded while it is sent`, whole, stepOfFiles);
    const startFrame = Math.round(7.5 * rate);
    const later = await heardEncoded(tools, ask, { seconds: 3, startFrame });
    const first = startFrame * (audioFormat.sampleRate / rate);
    const off = later.reduce((most, sample, at) => Math.max(most, Math.abs(sample - whole[first + at]!)), 0);
    expect(off).toBeLessThan(0.001);
  });
});

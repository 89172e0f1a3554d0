// Items of all loudnesses become equally loud with both backends; correct ones stay unchanged bit for bit.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TimelineItem } from '../../../lambda/domain/playout/play-out.ts';
import { renditionOf, soundAt } from '../../../lambda/domain/playout/rendition.ts';
import { levelFor } from '../../../lambda/domain/playout/sound.ts';
import type { SoundLevel } from '../../../lambda/domain/playout/sound.ts';
import { openFrames } from '../../../lambda/publisher/encoded/ffmpeg-media.ts';
import { audioFormat, profileOf } from '../../../lambda/publisher/ffmpeg/profile.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { SegmentStore } from '../../../lambda/publisher/prepared/segment-store.ts';
import { segmentKey } from '../../../lambda/publisher/prepared/segment-format.ts';
import { inspectedLoudness, loudFilm, measuredLoudness } from '../../support/loudness.ts';
import { fastEncoder, madeSample } from '../../support/media-samples.ts';
import { steps } from '../../support/recording.ts';
import { CheckingIngest, flvOf, frameTimes } from './checking-ingest.ts';
import { openEncoded } from './heard-sound.ts';
import { format, item, mediaOptions, play, preparedClips, receiveRendition, timelineOf } from './prepared-clips.ts';
import type { PreparedClips } from './prepared-clips.ts';

const run = promisify(execFile);
const tools = await findMediaTools(process.env);
const seconds = 6;
/** Gains as far apart as the files of a new user. */
const gains = [8, -22, -5, -14, 12];
const targetLUFS = -14;
const sound = soundAt(targetLUFS);

let folder: string;
let clips: PreparedClips;
/** The items with the gains that bring them to the target, and the items unchanged. */
let levelled: TimelineItem[];
let plain: TimelineItem[];
const paths = new Map<string, string>();
const levels = new Map<string, SoundLevel>();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'levelled-'));
  clips = await preparedClips(tools);
  for (const gain of gains) {
    const name = `film${gain}`;
    const path = await loudFilm(gain, seconds);
    const level = levelFor(await inspectedLoudness(tools, path, seconds), targetLUFS)!;
    paths.set(name, path);
    levels.set(name, level);
    await clips.prepare(item(name, seconds), path);
    await clips.prepare(item(name, seconds), path, sound, fastEncoder, { level, itemSeconds: seconds });
  }
  plain = gains.map((gain) => item(`film${gain}`, seconds));
  levelled = plain.map((each) => ({ ...each, levels: [{ fromSeconds: 0, level: levels.get(each.uploadID)! }] }));
}, 240_000);
afterAll(async () => {
  await clips[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

const received = async (items: readonly TimelineItem[], playSeconds: number, startFrame = 0) => {
  const ingest = new CheckingIngest();
  const options = mediaOptions(clips.objects, () => ({ video: timelineOf(...items) }));
  await play(options, ingest, { seconds: playSeconds, startFrame });
  return { ingest, ...options };
};
const payloads = ({ ingest }: { ingest: CheckingIngest }, kind: 'video' | 'audio') =>
  ingest[kind].map(({ payload }) => payload.toString('base64'));

/** Loudness without the first and the last half second, which contain two items in a recording. */
const loudnessOf = (input: readonly string[]) =>
  Promise.all(gains.map((_, index) => measuredLoudness(tools, input, index * seconds + 0.5, seconds - 1)));

describe('prepared', { timeout: 120_000 }, () => {
  it('items of all loudnesses are equally loud, none with peaks above −1 dBTP, at exact times', async () => {
    const before = await loudnessOf(['-i', await record('plain.flv', await received(plain, 5 * seconds + 1))]);
    const spread = before.map(({ lufs }) => lufs);
    expect(Math.max(...spread) - Math.min(...spread)).toBeGreaterThan(20);
    const recorded = await received(levelled, 5 * seconds + 1);
    expect(steps(frameTimes(recorded.ingest.video))).toEqual([33, 34]);
    expect(steps(frameTimes(recorded.ingest.audio))).toEqual([21, 22]);
    expect(faultsOf(await loudnessOf(['-i', await record('levelled.flv', recorded)]))).toEqual([]);
    expect(payloads(recorded, 'video')).toEqual(payloads(await received(plain, 5 * seconds + 1), 'video'));
  });

  it('whoever begins later sends the same', async () => {
    const all = await received(levelled, 4 * seconds);
    const later = await received(levelled, 2 * seconds, 2 * seconds * 30);
    const sent = payloads(all, 'audio');
    for (const payload of payloads(later, 'audio').slice(1)) expect(sent).toContain(payload);
  });

  it('what has no level yet is sent as it is, and from its time on at its level', async () => {
    const later = levelled.map((each) => ({ ...each, levels: [{ ...each.levels![0]!, fromSeconds: seconds }] }));
    const [mixed, asTheyAre, atLevel] = await Promise.all(
      [later, plain, levelled].map(async (items) => payloads(await received(items, 2 * seconds), 'audio')),
    );
    const framesOfFirst = Math.floor((seconds * audioFormat.sampleRate) / audioFormat.samplesPerAacFrame) - 1;
    expect(mixed!.slice(0, framesOfFirst)).toEqual(asTheyAre!.slice(0, framesOfFirst));
    const rest = framesOfFirst + 4;
    expect(mixed!.slice(rest)).toEqual(atLevel!.slice(rest));
    expect(mixed!.slice(rest)).not.toEqual(asTheyAre!.slice(rest));
  });

  it('where sound at its level is gone, the pictures go on with their own sound, and it is asked for', async () => {
    const film = levelled[0]!;
    const key = segmentKey(renditionOf(film.uploadID, film, sound), 0);
    const bytes = await buffer(await clips.objects.read(key));
    await clips.objects.delete(key);
    const { ingest, unreadable } = await received([film], seconds);
    await clips.objects.write(key, bytes, { contentType: 'application/octet-stream' });
    expect(unreadable).toContain(`${film.uploadID} 0`);
    expect(steps(frameTimes(ingest.video))).toEqual([33, 34]);
    expect(payloads({ ingest }, 'audio')).toEqual(payloads(await received([plain[0]!], seconds), 'audio'));
  });

  it('a separate track of sound is brought to its level likewise', async () => {
    for (const { uploadID } of plain) await clips.prepare(item(uploadID, seconds), paths.get(uploadID)!, 'sound');
    const store = new SegmentStore({ objects: clips.objects, maxCachedBytes: 64 * 1024 * 1024 });
    const tracks = () => ({ video: timelineOf(plain[0]!), audio: timelineOf(...levelled) });
    // The clock of the test does not wait for reads of the sound track, so all of it is read before.
    for (const each of levelled) {
      const key = segmentKey(renditionOf(each.uploadID, each, sound), 0);
      await store.block(key, await store.header(key), 0);
    }
    const ingest = new CheckingIngest();
    await play(mediaOptions(store, tracks), ingest, { seconds: 5 * seconds + 1 });
    expect(steps(frameTimes(ingest.audio))).toEqual([21, 22]);
    expect(faultsOf(await loudnessOf(['-i', await record('track.flv', { ingest })]))).toEqual([]);
  });
});

it('encoded while they are sent, items are as loud', { timeout: 120_000 }, async () => {
  const profile = profileOf(format);
  const { signal } = new AbortController();
  const source = await openFrames(
    {
      tools,
      profile,
      encoder: () => fastEncoder,
      loadTimelines: async () => ({ video: timelineOf(...levelled), audio: [] }),
      urlOf: async (objectKey) => paths.get(objectKey)!,
      captionsOf: async () => null,
      anchoredAtMs: async () => 0,
      log: () => {},
      signal,
    },
    0,
  );
  const samples: Buffer[] = [];
  for (let frame = 0; frame < gains.length * seconds * profile.framesPerSecond; frame++)
    samples.push((await source.next()).samples);
  await source.close();
  const pcm = join(folder, 'encoded.pcm');
  await writeFile(pcm, Buffer.concat(samples));
  const aac = join(folder, 'encoded.m4a');
  const raw = ['-f', 's16le', '-ar', `${audioFormat.sampleRate}`, '-ac', '2', '-i', pcm];
  await run(tools.ffmpegPath, ['-v', 'error', ...raw, '-c:a', 'aac', '-b:a', `${audioFormat.bitrateKbps}k`, aac]);
  expect(faultsOf(await loudnessOf(['-i', aac]))).toEqual([]);
});

it(
  'a file that is right already is sent as it is, sample by sample, by both backends',
  { timeout: 120_000 },
  async () => {
    // A sine of −14 dB in both channels has −14 LUFS.
    const sine = `0.2*sin(2*PI*997*t)`;
    const sound = ['-f', 'lavfi', '-i', `aevalsrc='${sine}|${sine}':s=48000:d=${seconds}`, '-c:a', 'pcm_s16le'];
    const pictures = ['-f', 'lavfi', '-i', `testsrc2=s=320x180:r=30:d=${seconds}`];
    const path = await madeSample('right-loudness.mov', [...pictures, ...sound, '-c:v', 'libx264']);
    expect(levelFor(await inspectedLoudness(tools, path, seconds), targetLUFS)).toBeNull();
    const film = item('right', seconds);
    const own = ['-v', 'error', '-i', path, '-map', '0:a', '-f', 's16le', '-'];
    const { stdout } = await run(tools.ffmpegPath, own, { encoding: 'buffer', maxBuffer: 16 * 1024 ** 2 });
    const tracks = { video: timelineOf(film), audio: [], pathOf: () => path };
    const source = await openEncoded(tools, tracks, 0);
    const samples: Buffer[] = [];
    for (let frame = 0; frame < seconds * 30; frame++) samples.push((await source.next()).samples);
    await source.close();
    expect(Buffer.concat(samples).equals(stdout)).toBe(true);

    // As a sound track it equals the sound with pictures, except at the very end, where nothing follows.
    await clips.prepare(film, path);
    await clips.prepare(film, path, 'sound');
    const [beside, alone] = await Promise.all(
      [format, 'sound' as const].map(async (of) => {
        const { ingest } = await receiveRendition(clips.objects, renditionOf(film.uploadID, film, of));
        return payloads({ ingest }, 'audio');
      }),
    );
    expect(alone!.slice(0, beside!.length - 4)).toEqual(beside!.slice(0, -4));
  },
);

async function record(name: string, { ingest }: { readonly ingest: CheckingIngest }): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, flvOf(ingest));
  return path;
}

/** Deviations of more than 1 LU from the target, and peaks above −1 dBTP. */
function faultsOf(loudness: readonly { lufs: number; peakDBTP: number }[]): string[] {
  const lufs = loudness.map((each) => each.lufs);
  const spread = Math.max(...lufs) - Math.min(...lufs);
  const isOff = lufs.some((each) => Math.abs(each - targetLUFS) > 1);
  const peak = Math.max(...loudness.map(({ peakDBTP }) => peakDBTP));
  console.log(`${lufs.join(', ')} LUFS, peaks of ${peak} dBTP at most`);
  return [
    ...(isOff || spread > 1 ? [`LUFS: ${lufs.join(' ')}`] : []),
    ...(peak > -1 ? [`a peak of ${peak} dBTP`] : []),
  ];
}

// The sound of videos under songs, prepared: at its level and time, and as in the ffmpeg backend.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withJoins, withPictureJoins } from '../../../lambda/domain/playout/item-joins.ts';
import { mixPartsWithin } from '../../../lambda/domain/playout/mixed-sound.ts';
import { joinKey } from '../../../lambda/domain/media/object-keys.ts';
import { occurrencesFrom } from '../../../lambda/domain/playout/play-out.ts';
import type { TimelineEntry, TimelineItem } from '../../../lambda/domain/playout/play-out.ts';
import { renditionOf, segmentCount } from '../../../lambda/domain/playout/rendition.ts';
import type { RenditionFormat } from '../../../lambda/domain/playout/rendition.ts';
import { withSoundUnder } from '../../../lambda/domain/playout/sound-under.ts';
import { audioFormat } from '../../../lambda/publisher/ffmpeg/profile.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { segmentKey } from '../../../lambda/publisher/prepared/segment-format.ts';
import { SegmentStore } from '../../../lambda/publisher/prepared/segment-store.ts';
import { madeSample } from '../../support/media-samples.ts';
import { steps } from '../../support/recording.ts';
import { CheckingIngest, frameTimes } from './checking-ingest.ts';
import { heardEncoded, heardOf, levelsOf, silentDB } from './heard-sound.ts';
import { makeParts } from './made-parts.ts';
import { format, item, keepAtHand, mediaOptions, play, preparedClips, timelineOf } from './prepared-clips.ts';
import type { PreparedClips } from './prepared-clips.ts';

const tools = await findMediaTools(process.env);
const rate = 30;
const seconds = 36;
const amplitude = 0.2;
/** Songs; the first one is longer than a mixed part. */
const songs = [item('song0', 24.317, { kind: 'audio' }), item('song1', 9.21, { kind: 'audio' })];
/** Films; the second one has no settings of its own, the third one is inaudible. */
const films = [
  item('film0', 7.31, { ownUnder: { enabled: true, gainDB: -6, duck: false } }),
  item('film1', 5.04),
  item('film2', 6.17, { ownUnder: { enabled: false, gainDB: 0, duck: false } }),
];
const ofStream = { enabled: true, gainDB: -12, duck: true } as const;
/** Levels in dB of their own amplitude. The songs count as speech, so the second film is ducked. */
const heardAt = new Map([
  ['film0', -6],
  ['film1', -24],
]);
const hertzOf = new Map([
  ['song0', 440],
  ['song1', 660],
  ['film0', 5000],
  ['film1', 6500],
  ['film2', 8000],
]);
const paths = new Map<string, string>();

let clips: PreparedClips;
/** A store that returns everything at once, because the test's clock does not wait for reads of the sound track. */
let store: SegmentStore;

beforeAll(async () => {
  clips = await preparedClips(tools);
  store = new SegmentStore({ objects: clips.objects, maxCachedBytes: 512 * 1024 * 1024 });
  for (const each of [...songs, ...films]) {
    const { uploadID, durationSeconds } = each;
    const tone = `${amplitude}*sin(2*PI*${hertzOf.get(uploadID)!}*t)`;
    const sound = ['-f', 'lavfi', '-i', `aevalsrc='${tone}|${tone}':s=48000:d=${durationSeconds}`];
    const black = ['-f', 'lavfi', '-i', `color=s=320x180:r=30:d=${durationSeconds}`];
    const isSong = each.kind === 'audio';
    const pictures = isSong ? [] : ['-c:v', 'libx264', '-preset', 'ultrafast'];
    const inputs = isSong ? sound : [...black, ...sound];
    const path = await madeSample(`under-${uploadID}-${durationSeconds}.mov`, [
      ...inputs,
      ...pictures,
      '-c:a',
      'pcm_s16le',
    ]);
    paths.set(uploadID, path);
    await clips.prepare(each, path, isSong ? 'sound' : format);
    if (isSong) await keepAllAtHand(each, 'sound');
  }
}, 120_000);
afterAll(() => clips[Symbol.asyncDispose]());

async function keepAllAtHand(each: TimelineItem, wanted: RenditionFormat): Promise<void> {
  const rendition = renditionOf(each.uploadID, each, wanted);
  for (let segment = 0; segment < segmentCount(rendition); segment++)
    await keepAtHand(store, segmentKey(rendition, segment));
}

const audio = timelineOf(...withJoins(songs, { kind: 'crossfade', seconds: 2 }));
const video = timelineOf(...withPictureJoins(withSoundUnder(films, ofStream), { kind: 'dip', seconds: 0.5 }));

/** Makes the mixes of a stretch, as workers would. @returns the first sending time of each */
async function made(entries: { video: readonly TimelineEntry[]; audio: readonly TimelineEntry[] }) {
  const contentHashes = new Map([...songs, ...films].map(({ uploadID }) => [uploadID, uploadID]));
  const under = { pictures: { entries: entries.video, contentHashes }, format };
  const track = { entries: entries.audio, contentHashes, under };
  const joins = new Map<string, number>();
  const parts = mixPartsWithin(track, { startFrame: 0, frameCount: seconds * rate }, rate);
  const making = { tools, objects: clips.objects, pathOf: (contentHash: string) => paths.get(contentHash)! };
  for (const key of await makeParts(parts, making, joins)) await keepAtHand(store, key);
  return joins;
}

async function received(joins: ReadonlyMap<string, number>, length = seconds, startFrame = 0) {
  const ingest = new CheckingIngest();
  const recorded = mediaOptions(store, () => ({ video, audio, joins }));
  await play(recorded, ingest, { seconds: length, startFrame });
  return { ingest, ...recorded };
}

/** Faults of a video's level by the tenth of a second: constant while the video is shown, except during fades. */
function wrongOf(samples: Float32Array, uploadID: string): string[] {
  const levels = levelsOf(samples, { hertz: hertzOf.get(uploadID)!, amplitude });
  const wanted: (number | null)[] = levels.map(() => silentDB);
  for (const { item: each, startFrame, frameCount } of occurrencesFrom(video, 0, rate)) {
    const [first, end] = [(startFrame / rate) * 10, ((startFrame + frameCount) / rate) * 10];
    if (first >= levels.length) break;
    for (let tenth = Math.max(0, Math.floor(first - 1)); tenth < Math.min(levels.length, end + 1); tenth++) {
      const isWithin = tenth >= first + 6 && tenth + 1 <= end - 6;
      if (each.uploadID === uploadID) wanted[tenth] = isWithin ? (heardAt.get(uploadID) ?? silentDB) : null;
    }
  }
  return levels.flatMap((level, tenth) => {
    const due = wanted[tenth]!;
    const isWrong = due !== null && (due === silentDB ? level > -45 : Math.abs(level - due) > 1);
    return isWrong ? [`${tenth / 10} s: ${level.toFixed(1)} dB, not ${due}`] : [];
  });
}

const payloads = ({ ingest }: { ingest: CheckingIngest }) =>
  ingest.audio.filter(({ payload }) => payload[1] === 1).map(({ payload }) => payload.toString('base64'));

describe('videos under songs that crossfade, prepared', { timeout: 120_000 }, () => {
  let whole: Awaited<ReturnType<typeof received>>;
  let joins: ReadonlyMap<string, number>;

  beforeAll(async () => {
    joins = await made({ video, audio });
    whole = await received(joins);
  }, 120_000);

  it('are each heard at their level while they are shown, and give way to what is over them', async () => {
    const samples = await heardOf(tools, whole.ingest);
    expect(samples.length / audioFormat.sampleRate).toBeGreaterThan(seconds - 2);
    const found = films.map(({ uploadID }) => [uploadID, wrongOf(samples, uploadID)]);
    expect(found).toEqual(films.map(({ uploadID }) => [uploadID, []]));
    expect(steps(frameTimes(whole.ingest.audio))).toEqual([21, 22]);
    expect([whole.unreadable, whole.logged]).toEqual([[], []]);
  });

  it('sound as they do encoded while they are sent', async () => {
    const pathOf = (key: string) => paths.get(key)!;
    const samples = await heardEncoded(tools, { video, audio, pathOf }, { seconds });
    expect(films.map(({ uploadID }) => wrongOf(samples, uploadID))).toEqual([[], [], []]);
  });

  it('are the same for whoever begins in the middle', async () => {
    const all = new Set(payloads(whole));
    for (const startSeconds of [5, 19, 23, 30]) {
      const later = payloads(await received(joins, 4, startSeconds * rate + 7));
      expect(later.length).toBeGreaterThan(100);
      expect(later.filter((payload) => !all.has(payload))).toEqual([]);
    }
  });

  it('are not heard any more as soon as others are published, until these are mixed', async () => {
    const ingest = new CheckingIngest();
    let shown = video;
    const next = { ...timelineOf(...withSoundUnder(films.slice(1), ofStream))[0]!, number: 1, offsetSeconds: 7.3 };
    const recorded = mediaOptions(store, () => ({ video: shown, audio, joins }));
    const eachTurn = () => {
      if (ingest.audio.length > 3 * (48_000 / 1024)) shown = [...video, next];
    };
    await play(recorded, ingest, { seconds: 12, eachTurn });
    const levels = levelsOf(await heardOf(tools, ingest), { hertz: hertzOf.get('film0')!, amplitude });
    expect(levels.slice(10, 25).map(Math.round)).toEqual(Array.from({ length: 15 }, () => -6));
    expect(Math.max(...levels.slice(70))).toBeLessThan(-45);
  });

  it('leave songs as they are, crossfades and all, where nothing is mixed or it is lost', async () => {
    const [alone, lost] = [await received(new Map()), new Map([...joins.keys(), 'none'].map((name) => [name, 0]))];
    const [first] = [...joins.keys()];
    await clips.objects.delete(joinKey(first!));
    store.forget(joinKey(first!));
    const without = await received(lost);
    expect(without.unreadable).toEqual([first]);
    const [song, mixed] = [payloads(alone), new Set(payloads(whole))];
    expect(payloads(without).slice(0, 990)).toEqual(song.slice(0, 990));
    expect(
      payloads(without)
        .slice(1010)
        .every((payload) => mixed.has(payload)),
    ).toBe(true);
    expect(steps(frameTimes(without.ingest.audio))).toEqual([21, 22]);
  });
});

// Items that the next entry of a timeline cuts off within a GOP: every picture until then is theirs, and none later.
import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { partsWithin } from '../../../lambda/domain/playout/parts-within.ts';
import type { TimelineEntry } from '../../../lambda/domain/playout/play-out.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { madeSample } from '../../support/media-samples.ts';
import { steps } from '../../support/recording.ts';
import { CheckingIngest, flvOf, frameTimes } from './checking-ingest.ts';
import { makeParts } from './made-parts.ts';
import { format, item, mediaOptions, play, preparedClips, timelineOf } from './prepared-clips.ts';
import type { PreparedClips } from './prepared-clips.ts';

const run = promisify(execFile);
const tools = await findMediaTools(process.env);
const rate = 30;
const [shown, following] = [item('shown', 6), item('following', 4)];
const lumaOfFollowing = 20;
/** The luma of a picture of the item that is cut off, so that each picture differs from its neighbours. */
const lumaOf = (frame: number) => 50 + (frame % 30) * 6;
const paths = new Map<string, string>();
const made = new Map<string, number>();
let prepared: PreparedClips;

beforeAll(async () => {
  prepared = await preparedClips(tools);
  for (const [clip, luma] of [
    [shown, '50+mod(N,30)*6'],
    [following, String(lumaOfFollowing)],
  ] as const) {
    const grey = `color=gray:s=320x180:r=${rate}:d=${clip.durationSeconds},format=yuv420p`;
    const source = `${grey},geq=lum='${luma}':cb=128:cr=128`;
    const tone = ['-f', 'lavfi', '-i', `sine=440:r=48000:d=${clip.durationSeconds}`];
    const x264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '4', '-color_range', 'tv', '-colorspace', 'bt709'];
    const path = await madeSample(`cut-off-${clip.uploadID}.mov`, ['-f', 'lavfi', '-i', source, ...tone, ...x264]);
    paths.set(clip.uploadID, path);
    await prepared.prepare(clip, path);
  }
}, 60_000);
afterAll(() => prepared[Symbol.asyncDispose]());

function cutAt(frame: number): TimelineEntry[] {
  const [first] = timelineOf(shown);
  const [next] = timelineOf(following);
  return [first!, { ...next!, number: 1, offsetSeconds: frame / rate }];
}

/** The luma of each picture that is received, in the order in which they are shown. */
async function lumasOf(ingest: CheckingIngest): Promise<number[]> {
  const path = join(tmpdir(), `cut-off-${crypto.randomUUID()}.flv`);
  await writeFile(path, flvOf(ingest));
  const filters = 'crop=64:64,scale=2:2:flags=area,format=yuv420p';
  const { stdout } = await run(
    tools.ffmpegPath,
    ['-v', 'error', '-i', path, '-map', '0:v', '-vf', filters, '-fps_mode', 'passthrough', '-f', 'rawvideo', '-'],
    { encoding: 'buffer' },
  );
  await rm(path);
  return Array.from({ length: stdout.length / 6 }, (_, picture) => stdout[picture * 6]!);
}

async function received(entries: readonly TimelineEntry[], joins: ReadonlyMap<string, number>) {
  const ingest = new CheckingIngest();
  const recorded = mediaOptions(prepared.objects, () => ({ video: entries, joins }));
  await play(recorded, ingest, { seconds: 7 });
  expect(recorded.unreadable).toEqual([]);
  expect(steps(frameTimes(ingest.video))).toEqual([33, 34]);
  return ingest;
}

/** Steps between the times at which pictures are shown, in milliseconds, without the last ones: some are missing. */
function shownSteps({ video }: CheckingIngest): number[] {
  const frames = video.filter(({ payload }) => payload[1] === 1);
  const times = frames.map(({ timestampMs, payload }) => timestampMs + payload.readIntBE(2, 3));
  return steps(times.toSorted((a, b) => a - b).slice(0, -4));
}

const farthest = (lumas: readonly number[], cut: number, from: number, end: number) =>
  Math.max(
    ...lumas
      .slice(from, end)
      .map((luma, index) => Math.abs(luma - (from + index < cut ? lumaOf(from + index) : lumaOfFollowing))),
  );

it.each([17, 60, 71, 72, 90, 119, 121])('at frame %d', { timeout: 60_000 }, async (cut) => {
  const entries = cutAt(cut);
  const contentHashes = new Map([shown, following].map(({ uploadID }) => [uploadID, uploadID]));
  const track = { entries, contentHashes };
  const stretch = { startFrame: 0, frameCount: 7 * rate };
  const parts = partsWithin({ video: track, audio: { entries: [] } }, stretch, format, 20);
  expect(parts.length).toBe(cut % 60 === 0 ? 0 : 1);
  await makeParts(parts, { tools, objects: prepared.objects, pathOf: (hash) => paths.get(hash)! }, made);
  const whole = await received(entries, made);
  expect(shownSteps(whole)).toEqual([33, 34]);
  expect(farthest(await lumasOf(whole), cut, 0, 6 * rate)).toBeLessThan(4);
  // Until the part is made, the last two pictures before the cut may be missing.
  const without = await lumasOf(await received(entries, new Map()));
  expect(farthest(without, cut, 0, cut - 2)).toBeLessThan(4);
  expect(farthest(without, cut, cut + 2, 6 * rate)).toBeLessThan(4);
});

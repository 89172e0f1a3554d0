// A takeover sent to a primary and a backup address by two agents, one killed meanwhile.
// Both addresses are recorded: they receive equal packets, and each picture is the loop's or the contributor's.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { makeBarcodeClip, readBarcodes } from '../support/barcode-clip.ts';
import type { BarcodeFrame } from '../support/barcode-clip.ts';
import { until, untilActive, uploadFile } from '../support/local-run.ts';
import { nodeProcessesOf } from '../support/processes.ts';
import { framesPerSecond, framesSince, packetsByPlace } from '../support/recorded-frames.ts';
import { startRecordingFront } from '../support/recording-front.ts';
import { timelineOf, untilTime } from '../support/programme-on-air.ts';
import { testLocalRun } from '../support/test-local-run.ts';

const format = { quality: 'q_720p', framerate: 'f_30' } as const;
const [loopClip, liveClip] = [1, 2];
const loopSeconds = 7;
const loopFrames = loopSeconds * framesPerSecond;
/** Pictures that are shown before the last ones are sent after them, so a connection that ends lacks some. */
const lastFrames = 4;
/** Frames before and after an estimated one, among which the first one of a recording is looked for. */
const searchedFrames = 3 * framesPerSecond;

const run = testLocalRun('--no-demo', '--agents', '2');
let tools: MediaTools;
let folder: string;
beforeAll(async () => {
  tools = await findMediaTools(process.env);
  folder = await mkdtemp(join(tmpdir(), 'live-agents-'));
});
afterAll(() => rm(folder, { recursive: true }));

it('both addresses receive the same takeover, and an agent that takes over continues it', async () => {
  const [primary, backup] = [await frontIn('primary'), await frontIn('backup')];
  const streamID = await streamTo({ ...primary.target, backupURL: backup.target.url });
  const contributor = await contribute(streamID);
  await until(async () => (await takeoverOf(streamID)) !== null);
  const { shownAt } = (await takeoverOf(streamID))!;
  await untilTime(Date.parse(shownAt) + 4000);
  const [oldest] = (await nodeProcessesOf(run.process.pid!)).toSorted(
    (one, other) => Number(one.startTicks) - Number(other.startTicks),
  );
  process.kill(oldest!.pid, 'SIGKILL');
  await until(async () => primary.connections + backup.connections === 3);
  await untilTime(Date.now() + 6000);
  contributor.kill('SIGKILL');
  await until(async () => (await takeoverOf(streamID))?.state !== 'shown');
  await untilTime(Date.now() + 5000);
  const { startAt } = (await timelineOf(run, streamID))[0]!;
  await run.api('POST', `/streams/${streamID}/stop`);

  const recordings = [await primary.finish(), await backup.finish()].toSorted(
    (one, other) => one.length - other.length,
  );
  const [whole, interrupted] = await Promise.all(
    recordings.map((each) =>
      Promise.all(
        each.map(async ({ file, beganAtMs }) => {
          const frames = (await readBarcodes(tools, file)).slice(0, -lastFrames);
          return { file, frames, estimate: framesSince(startAt)(beganAtMs) };
        }),
      ),
    ),
  );
  // The address that kept its agent has every frame, so it is the measure for the other one.
  const wanted: (BarcodeFrame | undefined)[] = [];
  const measure = { ...whole![0]!, origin: originInLoop(whole![0]!.frames) };
  for (const [index, frame] of measure.frames.entries()) wanted[measure.origin + index] = frame;
  expect(loopFaults(measure.frames, measure.origin)).toEqual([]);
  const others = interrupted!.map((each) => ({ ...each, origin: originOf(each.frames, each.estimate, wanted) }));
  const faults = others.flatMap(({ frames, origin }) =>
    frames.filter((frame, index) => wanted[origin + index] && textOf(frame) !== textOf(wanted[origin + index])),
  );
  expect(faults).toEqual([]);
  const live = others.map(({ frames }) => frames.filter(({ clip }) => clip === liveClip).length);
  console.log(`frames of the contributor on the address whose agent died: ${live.join(', ')}`);
  expect(live.every((count) => count > 2 * framesPerSecond)).toBe(true);

  const packets = await packetsByPlace(tools, { connections: [{ ...measure, frames: measure.frames.length }] });
  const received = await packetsByPlace(tools, {
    connections: others.map((each) => ({ ...each, frames: each.frames.length })),
  });
  const both = [...received].filter(([place]) => packets.has(place));
  console.log(`${both.length} packets of both addresses compared`);
  expect(both.length).toBeGreaterThan(20 * framesPerSecond);
  expect(both.filter(([place, hash]) => packets.get(place) !== hash).map(([place]) => place)).toEqual([]);
}, 240_000);

async function frontIn(name: string) {
  await mkdir(join(folder, name));
  const front = await startRecordingFront(tools, join(folder, name));
  onTestFinished(() => front[Symbol.asyncDispose]());
  return front;
}

/** Starts a stream of a loop to an address with a backup. @returns its id */
async function streamTo(target: { readonly url: string; readonly streamKey: string; readonly backupURL: string }) {
  const { api } = run;
  const path = await makeBarcodeClip(tools, join(folder, 'loop.mp4'), loopClip, loopSeconds);
  const { url: rtmpURL, streamKey, backupURL } = target;
  const destination = await api('POST', '/destinations', { name: 'recorded', rtmpURL, streamKey, backupURL });
  const videoUploadObjectID = await uploadFile(api, path, 'video/mp4');
  const redundancy = { agentModeEnabled: true, runBackupStream: true, streamBackend: 'manifest' };
  const settings = { ...format, ...redundancy, destinationID: destination.id, videoUploadObjectID };
  const { id } = await api('POST', '/streams', settings);
  await api('POST', `/streams/${id}/start`);
  await untilActive(api, id);
  return id as string;
}

async function contribute(streamID: string) {
  const path = await makeBarcodeClip(tools, join(folder, 'live.mp4'), liveClip, 120, 50);
  const settings = { takes: 'always', stableSeconds: 2, graceSeconds: 2, delaySeconds: 8 };
  const input = await run.api('POST', '/live-inputs', { name: 'Studio', streamID, ...settings });
  const { url } = (input.addresses as { protocol: string; url: string }[]).find(({ protocol }) => protocol === 'rtmp')!;
  const copied = ['-c', 'copy', '-f', 'flv', `${url}/${input.key}`];
  const ffmpeg = spawn(tools.ffmpegPath, ['-nostdin', '-v', 'quiet', '-re', '-i', path, ...copied]);
  onTestFinished(() => void ffmpeg.kill('SIGKILL'));
  await once(ffmpeg, 'spawn');
  return ffmpeg;
}

/** The takeover of a stream; null: it shows its loop. */
const takeoverOf = async (streamID: string): Promise<{ state: string; shownAt: string } | null> =>
  (await run.api('GET', `/streams/${streamID}/takeover`)).takeover;

const textOf = (frame: BarcodeFrame | undefined) => (frame ? `${frame.clip}:${frame.frame}` : 'none');

/** The frame of the run that is the first one of a recording which begins with the loop, in its first lap. */
function originInLoop([first]: readonly BarcodeFrame[]): number {
  expect(first).toMatchObject({ clip: loopClip });
  return first!.frame;
}

/** The pictures of the loop that are not those of their frames, in words. */
function loopFaults(frames: readonly BarcodeFrame[], origin: number): string[] {
  return frames.flatMap(({ clip, frame }, index) => {
    const due = (origin + index) % loopFrames;
    return clip === liveClip || (clip === loopClip && frame === due) ? [] : [`${clip}:${frame} in place of ${due}`];
  });
}

/** The frame of the run that is the first one of a recording: the one near an estimate with the fewest differences. */
function originOf(
  frames: readonly BarcodeFrame[],
  estimate: number,
  wanted: readonly (BarcodeFrame | undefined)[],
): number {
  let best = { origin: estimate, wrong: Infinity };
  for (let origin = Math.max(0, estimate - searchedFrames); origin <= estimate + searchedFrames; origin++) {
    const wrong = frames.filter((frame, index) => textOf(frame) !== textOf(wanted[origin + index])).length;
    if (wrong < best.wrong) best = { origin, wrong };
  }
  return best.origin;
}

// A ticker and a clock over pictures of the ffmpeg backend: they continue across items, in the time of the run.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { usualClock, usualTheme, usualTicker } from '../../../lambda/domain/playout/overlays.ts';
import { tickerPace } from '../../../lambda/domain/playout/running-texts.ts';
import { openFrames } from '../../../lambda/publisher/encoded/ffmpeg-media.ts';
import { profileOf } from '../../../lambda/publisher/ffmpeg/profile.ts';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { fastEncoder, madeSample } from '../../support/media-samples.ts';
import { CheckingIngest, flvOf } from '../prepared/checking-ingest.ts';
import { format, item, timelineOf } from '../prepared/prepared-clips.ts';

const tools = await findMediaTools(process.env);
const profile = profileOf(format);
const { width, framesPerSecond: rate } = profile;
const theme = { ...usualTheme, panelColour: '#000000', panelOpacityPercent: 100, textColour: '#ffffff' };
const overlays = {
  logo: null,
  logoKey: null,
  title: null,
  next: null,
  theme,
  ticker: { ...usualTicker, lines: ['▮▮▮▮'] },
  clock: { ...usualClock },
};
const items = [item('first', 5, { hasAudio: false }), item('second', 6, { hasAudio: false })];

/** Path of the media sent from a frame of a run on. @param anchoredAt start time of the run */
async function recorded(startFrame: number, frames: number, anchoredAt: string): Promise<string> {
  const grey = ['-f', 'lavfi', '-i', 'color=gray:s=320x180:r=30:d=6', '-c:v', 'libx264', '-preset', 'ultrafast'];
  const path = await madeSample('running-texts-grey.mov', grey);
  const [entry] = timelineOf(...items);
  const video = [{ ...entry!, snapshot: { ...entry!.snapshot, overlays } }];
  const options = {
    tools,
    profile,
    encoder: () => fastEncoder,
    signal: new AbortController().signal,
    loadTimelines: async () => ({ video, audio: [] }),
    urlOf: async () => path,
    captionsOf: async () => null,
    anchoredAtMs: async () => Date.parse(anchoredAt),
    log: () => {},
  };
  const source = await openFrames(options, startFrame);
  const ingest = new CheckingIngest();
  for (let frame = 0; frame < frames; frame++) {
    const { video: picture } = await source.next();
    const timestampMs = Math.round((frame * 1000) / rate);
    if (picture.sequenceHeader) ingest.send([{ type: 'video', timestampMs, payload: picture.sequenceHeader }]);
    ingest.send([{ type: 'video', timestampMs, payload: picture.payload }]);
  }
  await source.close();
  const folder = await mkdtemp(join(tmpdir(), 'running-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'sent.flv');
  await writeFile(file, flvOf(ingest));
  return file;
}

/** A part of each picture, as rows of luma. */
async function partsOf(file: string, part: string, bytes: number): Promise<Buffer[]> {
  const filters = `crop=${part},extractplanes=y`;
  const decoded = ['-v', 'error', '-i', file, '-vf', filters, '-fps_mode', 'passthrough', '-f', 'rawvideo', '-'];
  const { stdout } = await promisify(execFile)(tools.ffmpegPath, decoded, { encoding: 'buffer', maxBuffer: 2 ** 28 });
  return Array.from({ length: stdout.length / bytes }, (_, index) =>
    stdout.subarray(index * bytes, (index + 1) * bytes),
  );
}

it('run over the join of two items, and are the same for who begins in the middle of one', async () => {
  const anchoredAt = '2026-11-24T12:00:57Z';
  const whole = await recorded(0, 8 * rate, anchoredAt);
  const leftsIn = async (file: string) =>
    (await partsOf(file, `${width}:2:0:650`, 2 * width)).map((row) =>
      row.subarray(0, width).findIndex((luma) => luma > 150),
    );
  const lefts = await leftsIn(whole);
  const { pixelsPerFrame } = tickerPace(width, rate);
  // The last pictures may be shown without their reference pictures.
  const inside = lefts.slice(0, -10).flatMap((left, frame) => (left > 8 && lefts[frame + 1]! > 8 ? [frame] : []));
  expect(inside.length).toBeGreaterThan(6 * rate);
  expect(new Set(inside.map((frame) => lefts[frame]! - lefts[frame + 1]!))).toEqual(new Set([pixelsPerFrame]));
  const later = await leftsIn(await recorded(6 * rate, rate, anchoredAt));
  const off = later.slice(0, -10).map((left, frame) => Math.abs(left - lefts[6 * rate + frame]!));
  // Encoders move an edge by at most a pixel.
  expect(Math.max(...off)).toBeLessThanOrEqual(1);
});

it('show another minute with the frame with which it begins', async () => {
  const file = await recorded(0, 8 * rate, '2026-11-24T12:00:57Z');
  const [high, wide] = [60, 160];
  const clocks = await partsOf(file, `${wide}:${high}:80:50`, wide * high);
  const changes = clocks.slice(1).flatMap((clock, index) => {
    const changed = clock.filter((luma, at) => Math.abs(luma - clocks[index]![at]!) > 60).length;
    return changed > 20 ? [index + 1] : [];
  });
  expect(changes).toEqual([3 * rate]);
});

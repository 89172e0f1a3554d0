// The captions of a video are on exactly the right pictures, with both backends.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { effectiveAheadSeconds } from '../../lambda/domain/playout/play-out.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { makeBarcodeClip, readBarcodes } from '../support/barcode-clip.ts';
import { startFfmpegIngest } from '../support/ingests.ts';
import { createLoop, until, untilActive, uploadFile } from '../support/local-run.ts';
import { testLocalRun } from '../support/test-local-run.ts';

const tools = await findMediaTools(process.env);
const run = testLocalRun('--no-demo');
const clipSeconds = 8;
const fps = 30;
/** Number of parts of the width that are examined. */
const parts = 320;
const captions = `WEBVTT

00:01.000 --> 00:03.000
Rain on the window

00:02.500 --> 00:04.000
雨の窓

00:07.000 --> 00:20.000
Until the end, however long that is said to be
`;
const look = {
  overlays: {
    captions: {},
    theme: { panelColour: '#ffffff', panelOpacityPercent: 100, textColour: '#000000' },
  },
};
let folder: string;
let uploadID: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'captions-'));
  const clip = await makeBarcodeClip(tools, join(folder, 'film.mp4'), 0, clipSeconds);
  uploadID = await uploadFile(run.api, clip, 'video/mp4');
  await run.api('PATCH', `/uploads/${uploadID}`, { captions });
}, 120_000);
afterAll(() => rm(folder, { recursive: true }));

/** The expected captions at a frame of the clip: those that the file shows. */
function dueAt(frame: number): string {
  const seconds = (frame % (clipSeconds * fps)) / fps;
  const shown = [
    seconds >= 1 && seconds < 3 && 'rain',
    seconds >= 2.5 && seconds < 4 && 'window',
    seconds >= 7 && 'end',
  ];
  return shown.filter((each) => each !== false).join(' and ');
}

/** Width of the panel of captions in each picture of a recording; 0: no panel. */
async function panelWidths(file: string): Promise<number[]> {
  const row = `crop=iw:2:0:660,extractplanes=y,scale=${parts}:1:flags=area`;
  const decoded = ['-v', 'error', '-i', file, '-vf', row, '-fps_mode', 'passthrough', '-f', 'rawvideo', '-'];
  const { stdout } = await promisify(execFile)(tools.ffmpegPath, decoded, { encoding: 'buffer', maxBuffer: 2 ** 26 });
  return Array.from(
    { length: stdout.length / parts },
    (_, index) => stdout.subarray(index * parts, index * parts + parts).filter((luma) => luma > 128).length,
  );
}

/** Sends the clip repeatedly. @returns the panel's widths in the last lap, by the expected captions */
async function widthsOf(streamBackend: string): Promise<Map<string, Set<number>>> {
  using ingest = await startFfmpegIngest(join(folder, `${streamBackend}.flv`), tools);
  const settings = { quality: 'q_720p', framerate: 'f_30', streamBackend, look };
  const id = await createLoop(run.api, [uploadID], ingest.target, settings);
  const read = () => run.api('GET', `/streams/${id}`);
  await run.api('POST', `/streams/${id}/start`);
  await untilActive(run.api, id);
  // Pictures without captions are sent until those with captions are prepared.
  await until(async () => (await read()).pendingLook === 0);
  const takenUpMs = Date.now();
  await until(async () => Date.now() > takenUpMs + (effectiveAheadSeconds + 2 * clipSeconds + 2) * 1000);
  await run.api('POST', `/streams/${id}/stop`);
  await until(async () => (await read()).state === 'stopped');
  const file = await ingest.finish();
  const lap = clipSeconds * fps;
  // A stop interrupts the stream: a picture may have arrived before pictures that are shown earlier.
  const last = (all: readonly unknown[]) => [all.length - lap - 10, all.length - 10] as const;
  const [shown, panels] = [await readBarcodes(tools, file), await panelWidths(file)];
  const [frames, widths] = [shown.slice(...last(shown)), panels.slice(...last(panels))];
  expect(new Set(frames.map(({ frame }) => frame)).size).toBe(lap);
  const found = new Map<string, Set<number>>();
  for (const [index, { frame }] of frames.entries()) {
    const due = dueAt(frame);
    found.set(due, (found.get(due) ?? new Set()).add(widths[index]!));
  }
  return found;
}

it('on every picture that they belong to', { timeout: 240_000 }, async () => {
  const [encoded, prepared] = await Promise.all([widthsOf('ffmpeg'), widthsOf('manifest')]);
  expect([...encoded.keys()].toSorted()).toEqual(['', 'end', 'rain', 'rain and window', 'window']);
  for (const [due, widths] of [...encoded, ...prepared]) {
    if (due === '') expect([...widths]).toEqual([0]);
    else expect(Math.min(...widths)).toBeGreaterThan(10);
    // A panel has one width; encoders change it by a part at its edges.
    expect(Math.max(...widths) - Math.min(...widths)).toBeLessThanOrEqual(1);
  }
  for (const [due, widths] of encoded)
    expect(Math.abs(Math.max(...widths) - Math.max(...prepared.get(due)!))).toBeLessThanOrEqual(1);
  expect(Math.max(...encoded.get('rain')!)).toBeGreaterThan(Math.max(...encoded.get('window')!));
});

// Files that are far too costly to process are refused by their headers, within little memory.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32, createDeflate } from 'node:zlib';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { examiningMemoryMiB, isOutOfMemory, startMediaTool } from '../../../lambda/publisher/ffmpeg/media-tool.ts';
import { probeMedia } from '../../../lambda/publisher/media/probe.ts';
import { everyMediaTools } from '../../support/media-samples.ts';
import { writeShellProgram } from '../../support/shell-program.ts';

/** Program that prints the peak memory of another program. */
const measuring = '/usr/bin/time';
const builds = await everyMediaTools();
const never = new AbortController().signal;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bombs-'));
});
afterAll(() => rm(folder, { recursive: true }));

const keep = async (name: string, bytes: Buffer): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return path;
};

/** A PNG of zeros. @param rows number of rows that the file really contains */
async function png(
  name: string,
  size: { width: number; height: number; depth: 8 | 16 },
  rows: number,
  more: Buffer[] = [],
) {
  const { width, height, depth } = size;
  const chunk = (type: string, body: Buffer) => {
    const named = Buffer.concat([Buffer.from(type), body]);
    const ends = [Buffer.alloc(4), Buffer.alloc(4)] as const;
    ends[0].writeUInt32BE(body.length);
    ends[1].writeUInt32BE(crc32(named));
    return Buffer.concat([ends[0], named, ends[1]]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  const rgba = 6;
  header.set([depth, rgba, 0, 0, 0], 8);
  const row = Buffer.alloc(1 + width * 4 * (depth / 8));
  const zeros = Readable.from(
    (function* () {
      for (let index = 0; index < rows; index++) yield row;
    })(),
  );
  const data = await buffer(zeros.pipe(createDeflate({ level: 9 })));
  const shape = more.map((body) => chunk('pHYs', body));
  const chunks = [chunk('IHDR', header), ...shape, chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))];
  return keep(name, Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks]));
}

/** A WAV of silence that lasts a tenth of a second. */
function wav(channels: number): Promise<string> {
  const blockBytes = channels * 2;
  const data = Buffer.alloc(4800 * blockBytes);
  const header = Buffer.alloc(44);
  header.write('RIFF', 'latin1');
  header.writeUInt32LE(36 + data.length, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(48_000, 24);
  header.writeUInt32LE(48_000 * blockBytes, 28);
  header.writeUInt16LE(blockBytes, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(data.length, 40);
  return keep(`${channels}-channels.wav`, Buffer.concat([header, data]));
}

/** Makes a video with the machine's ffmpeg. */
async function film(name: string, graph: string, options: string): Promise<string> {
  const path = join(folder, name);
  const words = ['-y', '-v', 'error', '-f', 'lavfi', '-i', graph, ...options.split(' '), path];
  await promisify(execFile)(builds[0]!.tools.ffmpegPath, words);
  return path;
}

/** A wrapper that runs another program, and logs its peak memory. */
function measured(program: string, logPath: string): string {
  const path = join(folder, `measured-${crypto.randomUUID()}`);
  return writeShellProgram(path, `exec ${measuring} -q -a -o ${logPath} -f %M ${program} "$@"`);
}

/** A wrapper that runs another program, and logs its arguments. */
function noted(program: string, logPath: string): string {
  const path = join(folder, `noted-${crypto.randomUUID()}`);
  return writeShellProgram(path, `echo "$@" >> ${logPath}\nexec ${program} "$@"`);
}

const bombs: readonly (readonly [string, string, RegExp, () => Promise<string>])[] = [
  [
    'a picture of 10,000 × 10,000 with 64 bits',
    'image/png',
    /10000 × 10000 pixels.*Make the file anew/u,
    () => png('deep.png', { width: 10_000, height: 10_000, depth: 16 }, 10_000),
  ],
  [
    'a file of 2 MB that has 40 GB decoded',
    'image/png',
    /100000 × 100000 pixels.*Make the file anew/u,
    () => png('gigabytes.png', { width: 100_000, height: 100_000, depth: 8 }, 5000),
  ],
  [
    'a picture that is decoded to 400 MB',
    'image/png',
    /takes 412 MiB when it is decoded.*8 bits a colour/u,
    () => png('large.png', { width: 7350, height: 7350, depth: 16 }, 100),
  ],
  [
    'a picture as wide as a country',
    'image/png',
    /wide and 64 high: the file is damaged/u,
    () => {
      const perUnit = Buffer.alloc(9);
      perUnit.writeUInt32BE(1);
      perUnit.writeUInt32BE(2_000_000_000, 4);
      return png('shape.png', { width: 64, height: 64, depth: 8 }, 64, [perUnit]);
    },
  ],
  [
    'a video that says 30 years',
    'video/mp4',
    /lasts 262800 hours, and we take 48 at most/u,
    () =>
      film(
        'years.mp4',
        'testsrc2=s=320x180:r=1:d=3',
        '-c:v libx264 -preset ultrafast -video_track_timescale 1 -bsf:v setts=ts=N*473040000',
      ),
  ],
  [
    'a video of 1.5 kB that says ten minutes',
    'video/mp4',
    /lasts 1199 seconds, but has only \d+ bytes/u,
    () =>
      film(
        'minutes.mp4',
        'color=black:s=320x180:r=1:d=3',
        '-c:v libx264 -preset ultrafast -video_track_timescale 1 -bsf:v setts=ts=N*599',
      ),
  ],
  [
    'a video with 1,000 pictures a second',
    'video/mp4',
    /1000 pictures a second, and we take 240 at most/u,
    () => film('fast.mp4', 'testsrc2=s=320x180:r=1000:d=1', '-c:v libx264 -preset ultrafast'),
  ],
  [
    'a film larger than 4320p',
    'video/quicktime',
    /9000 × 4400 pixels, of which we take 35 million at most/u,
    () => film('wide.mov', 'color=black:s=9000x4400:r=24:d=0.1,format=gray', '-c:v png'),
  ],
  ['sound with 200 channels', 'audio/wav', /200 channels of sound.*Mix it down/u, () => wav(200)],
  [
    'sound in 200 tracks',
    'audio/x-matroska',
    /more than 100 tracks/u,
    async () => {
      const path = await wav(1);
      return film('tracks.mka', 'sine=d=0.1', `-i ${path} ${'-map 1:a '.repeat(200)}-c copy`);
    },
  ],
];

describe.each(builds)('with the $name build', ({ name: build, tools }) => {
  it.skipIf(!existsSync(measuring)).each(bombs)('%s is refused', async (name, mimeType, sentence, make) => {
    const path = await make();
    const log = await keep(`${crypto.randomUUID()}.log`, Buffer.alloc(0));
    const watched = {
      ffmpegPath: measured(tools.ffmpegPath, log),
      ffprobePath: measured(tools.ffprobePath, log),
    };
    const beganMs = performance.now();
    const probing = probeMedia(watched, path, { mimeType, type: null, fileSize: null }, never);
    await expect(probing).rejects.toMatchObject({ name: 'MediaError', detail: expect.stringMatching(sentence) });
    const tookMs = performance.now() - beganMs;
    const peaksMiB = (await readFile(log, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => Number(line) / 1024);
    const peakMiB = Math.max(...peaksMiB);
    process.stdout.write(`${name} (${build}): ${(tookMs / 1000).toFixed(2)} s, ${peakMiB.toFixed(0)} MiB at most\n`);
    expect(peakMiB).toBeLessThan(examiningMemoryMiB);
  });

  // Each thread holds pictures of its own, and ffmpeg would start one for each core.
  it('what is decoded of a film to examine it takes one thread', async () => {
    const path = await film('plain.mp4', 'testsrc2=s=320x180:r=10:d=8', '-c:v libx264 -preset ultrafast');
    const log = await keep(`${crypto.randomUUID()}.log`, Buffer.alloc(0));
    const watched = { ...tools, ffmpegPath: noted(tools.ffmpegPath, log) };
    await probeMedia(watched, path, { mimeType: 'video/mp4', type: null, fileSize: null }, never);
    const told = (await readFile(log, 'utf8')).trim().split('\n');
    expect(told).toHaveLength(2);
    for (const words of told) expect(words).toMatch(/ -filter_threads 1 .* -threads 1 .*-i /u);
  });

  it.skipIf(process.platform !== 'linux')('a tool gets no more memory than its limit', async () => {
    const path = await png('limited.png', { width: 7350, height: 7350, depth: 16 }, 100);
    const words = ['-nostdin', '-v', 'error', '-i', path, '-f', 'framecrc', 'pipe:1'];
    const tool = startMediaTool(tools.ffmpegPath, words, { readAheadBytes: 1024, memoryMiB: 300 });
    tool.stdout.resume();
    const { code } = await tool.exited;
    expect([code === 0, isOutOfMemory(tool.log())]).toEqual([false, true]);
  });
});

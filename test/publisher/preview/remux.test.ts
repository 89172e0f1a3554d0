// What is taken out of prepared GOPs is what was prepared, at its times, across joins.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { framesOfGops, gopsOfPiece } from '../../../lambda/domain/preview.ts';
import type { PreviewGop } from '../../../lambda/domain/preview.ts';
import { renditionOf } from '../../../lambda/domain/rendition.ts';
import type { PictureFormat } from '../../../lambda/domain/rendition.ts';
import { profileOf } from '../../../lambda/publisher/ffmpeg/profile.ts';
import type { MediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { headerOfGop, movieHeaderOf, remuxGop } from '../../../lambda/publisher/preview/remux-gops.ts';
import { SegmentStore } from '../../../lambda/publisher/prepared/segment-store.ts';
import { fastEncoder, madeSample, mediaToolsFor } from '../../support/media-samples.ts';
import { format, item, preparedClips, timelineOf } from '../prepared/prepared-clips.ts';

const clip = () => {
  const made = '-f lavfi -i testsrc2=s=320x180:r=30:d=4 -f lavfi -i sine=f=440:r=48000:d=4 -c:v libx264 -c:a aac';
  return madeSample('four-seconds.mp4', made.split(' '));
};

/** Packets of a file: what they are of, when they are due, and how many samples or pictures they bring. */
async function packetsOf(tools: MediaTools, path: string, selected: 'v' | 'a') {
  const args = ['-v', 'error', '-select_streams', selected, '-show_entries', 'packet=pts_time,dts_time', '-of', 'json'];
  const { stdout } = await promisify(execFile)(tools.ffprobePath, [...args, path]);
  const { packets } = JSON.parse(stdout) as { packets: { pts_time: string; dts_time: string }[] };
  return packets.map(({ pts_time: pts, dts_time: dts }) => ({ pts: Number(pts), dts: Number(dts) }));
}

/** Encoders that take little time: nobody looks at the pictures. */
const encoders = {
  h264: fastEncoder,
  hevc: { codec: 'libx265', preset: 'ultrafast' },
  av1: { codec: 'libsvtav1', preset: '12' },
} as const;
const lackingTools = 'no ffmpeg of 6.1 or later with this encoder is installed';

it.for(['h264', 'hevc', 'av1'] as const)(
  'pictures and sound of %s follow each other without a seam where items join',
  async (videoCodec, { skip }) => {
    const found = await mediaToolsFor(videoCodec);
    if (found === null) return skip(lackingTools);
    const tools = found;
    await using clips = await preparedClips(tools);
    const wanted: PictureFormat = { ...format, videoCodec };
    const { framesPerSecond, gopFrames } = profileOf(wanted);
    const [one, two] = [item('one', 3.1), item('two', 2.5)];
    for (const each of [one, two]) await clips.prepare(each, await clip(), wanted, encoders[videoCodec]);
    const timeline = timelineOf(one, two);
    const framesOf = (each: typeof one) => renditionOf('', each, wanted).groupCount;
    const grid = { framesPerSecond, gopFrames, framesOf };
    const store = new SegmentStore({ objects: clips.objects, maxCachedBytes: 8 * 1024 * 1024 });
    const contentHashOf = (uploadID: string) => uploadID;
    const options = { store, format: wanted, contentHashOf, hasOwnSound: true };
    const pieces = Array.from({ length: 10 }, (_, piece) => gopsOfPiece(timeline, piece, grid));
    const gops = pieces.flat();
    const fragments = await Promise.all(gops.map((gop: PreviewGop) => remuxGop(options, gop)));
    const { header } = (await headerOfGop(options, gops[0]!))!;
    const path = join(tmpdir(), `preview-${videoCodec}-${process.pid}.mp4`);
    await writeFile(path, Buffer.concat([movieHeaderOf(wanted, header), ...fragments.map((each) => each!)]));

    // Pieces follow each other, and have something of every item in it.
    const spans = pieces.map(framesOfGops);
    spans.slice(1).forEach(({ start }, index) => expect(start).toBe(spans[index]!.end));
    const frames = spans.at(-1)!.end;
    const pictures = await packetsOf(tools, path, 'v');
    expect(pictures).toHaveLength(frames);
    pictures.forEach(({ dts }, frame) => expect(dts).toBeCloseTo(frame / framesPerSecond, 4));
    const sound = await packetsOf(tools, path, 'a');
    sound.slice(1).forEach(({ pts }, index) => expect(pts - sound[index]!.pts).toBeCloseTo(1024 / 48_000, 4));
    expect(sound[0]!.pts).toBeCloseTo(pictures[0]!.pts, 1);
    expect(Math.abs(sound.at(-1)!.pts - frames / framesPerSecond)).toBeLessThan(0.1);
    // Decoders find nothing wrong.
    const decode = ['-nostdin', '-v', 'error', '-xerror', '-i', path, '-f', 'null', '-'];
    const { stderr } = await promisify(execFile)(tools.ffmpegPath, decode);
    expect(stderr).toBe('');
  },
);

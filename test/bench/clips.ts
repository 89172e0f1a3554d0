// Clips for the bench of publishers, prepared as the platform prepares them, and one of them as a file to copy.
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { frameCountOf } from '../../lambda/domain/playout/play-out.ts';
import type { TimelineItem } from '../../lambda/domain/playout/play-out.ts';
import { renditionOf, segmentCount } from '../../lambda/domain/playout/rendition.ts';
import type { PictureFormat } from '../../lambda/domain/playout/rendition.ts';
import { createFileObjectStore } from '../../lambda/ports/object-store/file-object-store.ts';
import { profileOf } from '../../lambda/publisher/ffmpeg/profile.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { prepareSegment } from '../../lambda/publisher/preparing/prepare-segment.ts';
import { segmentKey } from '../../lambda/publisher/prepared/segment-format.ts';

export interface Clips {
  readonly folder: string;
  readonly items: readonly TimelineItem[];
  /** The path of a list of files for ffmpeg's `-f concat`, which copies them. */
  readonly listPath: string;
}

const encoder = { codec: 'libx264', preset: 'ultrafast' } as const;
const x264 = ['-c:v', encoder.codec, '-preset', encoder.preset];

/** Makes and prepares clips. @param durations the seconds of each clip */
export async function prepareClips(
  folder: string,
  format: PictureFormat,
  durations: readonly number[],
): Promise<Clips> {
  const tools = await findMediaTools(process.env);
  const ffmpeg = (...args: readonly string[]) =>
    promisify(execFile)(tools.ffmpegPath, ['-nostdin', '-v', 'error', ...args]);
  const objects = createFileObjectStore({ folder, baseURL: 'http://127.0.0.1/objects', signingKey: 'bench' });
  const { width, height, framesPerSecond, gopFrames, videoBitrateKbps } = profileOf(format);
  const items: TimelineItem[] = [];
  for (const [index, durationSeconds] of durations.entries()) {
    const path = join(folder, `clip${index}.mp4`);
    const graph = `testsrc2=s=${width}x${height}:r=${framesPerSecond}:d=${durationSeconds}`;
    const source = ['-f', 'lavfi', '-i', graph, '-f', 'lavfi', '-i', `sine=r=48000:d=${durationSeconds}`];
    await ffmpeg(...source, ...x264, '-pix_fmt', 'yuv420p', '-c:a', 'aac', path);
    const item: TimelineItem = {
      itemID: `item${index}`,
      uploadID: `clip${index}`,
      name: `clip${index}`,
      objectKey: path,
      kind: 'video',
      durationSeconds,
      hasAudio: true,
    };
    const rendition = renditionOf(item.uploadID, item, format);
    for (let segment = 0; segment < segmentCount(rendition); segment++) {
      const request = { rendition, segment, sourceURL: path, kind: 'video', hasAudio: true, encoder } as const;
      const bytes = await prepareSegment(tools, request, new AbortController().signal);
      await objects.write(segmentKey(rendition, segment), bytes, { contentType: 'application/octet-stream' });
    }
    items.push(item);
  }
  const rate = `${videoBitrateKbps}k`;
  const limits = ['-b:v', rate, '-minrate', rate, '-maxrate', rate, '-bufsize', rate];
  const constantRate = [...limits, '-x264-params', 'nal-hrd=cbr'];
  const frames = String(frameCountOf({ durationSeconds: durations[0]! }, framesPerSecond));
  const copy = ['-frames:v', frames, ...x264, '-g', String(gopFrames), ...constantRate, '-c:a', 'copy'];
  await ffmpeg('-i', join(folder, 'clip0.mp4'), ...copy, join(folder, 'copy.mp4'));
  const listPath = join(folder, 'copy.txt');
  await writeFile(listPath, `file 'copy.mp4'\n`);
  return { folder, items, listPath };
}

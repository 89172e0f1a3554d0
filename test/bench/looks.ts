// The cost of looks: an hour of an upright film for 1080p30 in each framing, against black bars, and overlays.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { FramingName } from '../../lambda/domain/playout/look.ts';
import { renditionOf, segmentCount } from '../../lambda/domain/playout/rendition.ts';
import { chooseEncoder } from '../../lambda/publisher/media/choose-encoder.ts';
import { findMediaTools } from '../../lambda/publisher/media/media-tools.ts';
import { prepareSegment } from '../../lambda/publisher/preparing/prepare-segment.ts';
import { overlaysBench } from './overlays.ts';
import { cpuSecondsOf } from './processor-time.ts';

const format = { quality: 'q_1080p', framerate: 'f_30', videoCodec: 'h264' } as const;
const filmSeconds = 10;
const framings: readonly (FramingName | undefined)[] = [undefined, 'pad1060a0', 'crop', 'blur'];
const { signal } = new AbortController();

export async function looksBench(): Promise<void> {
  const tools = await findMediaTools(process.env);
  const encoder = await chooseEncoder(tools, 'h264', () => {});
  const folder = await mkdtemp(join(tmpdir(), 'looks-'));
  try {
    const sourceURL = join(folder, 'film.mp4');
    const graph = `testsrc2=s=1080x1920:r=30:d=${filmSeconds},noise=alls=12:allf=t`;
    const film = ['-f', 'lavfi', '-i', graph, '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
    await promisify(execFile)(tools.ffmpegPath, ['-nostdin', '-v', 'error', ...film, sourceURL]);
    const item = { kind: 'video', durationSeconds: filmSeconds } as const;
    const perHour = 3600 / filmSeconds;
    let base: { readonly coreSeconds: number; readonly bytes: number } | null = null;
    for (const framing of framings) {
      const rendition = renditionOf('film', item, { ...format, ...(framing && { framing }) });
      let bytes = 0;
      const coreSeconds = await cpuSecondsOf(async () => {
        for (let segment = 0; segment < segmentCount(rendition); segment++) {
          const request = { rendition, segment, sourceURL, kind: 'video', hasAudio: false, encoder } as const;
          bytes += (await prepareSegment(tools, request, signal)).length;
        }
      });
      base ??= { coreSeconds, bytes };
      const work = `${((coreSeconds * perHour) / 60).toFixed(0).padStart(4)} core minutes`;
      const kept = `${((bytes * perHour) / 1e9).toFixed(2)} GB`;
      const ratios = `${(coreSeconds / base.coreSeconds).toFixed(2)} times, ${(bytes / base.bytes).toFixed(2)} times`;
      console.log(
        `${(framing ?? 'black bars').padEnd(12)} an hour takes ${work} and ${kept}: ${ratios} those of black bars`,
      );
    }
  } finally {
    await rm(folder, { recursive: true });
  }
  await overlaysBench(tools, encoder);
}

// Widths of the bright panels of texts at the top of dark pictures: each text has another width.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { MediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { flvOf } from './checking-ingest.ts';
import type { CheckingIngest } from './checking-ingest.ts';

/** Number of parts of the width that are examined. */
const parts = 320;

/** The bright share of the top of each of the first pictures, of 320 parts. */
export async function panelWidths(tools: MediaTools, ingest: CheckingIngest, count: number): Promise<number[]> {
  const folder = await mkdtemp(join(tmpdir(), 'panels-'));
  try {
    const recording = join(folder, 'recording.flv');
    await writeFile(recording, flvOf(ingest));
    const row = `crop=iw:4:0:40,extractplanes=y,scale=${parts}:1:flags=area`;
    const decoded = ['-v', 'error', '-i', recording, '-vf', row, '-fps_mode', 'passthrough', '-f', 'rawvideo', '-'];
    const { stdout } = await promisify(execFile)(tools.ffmpegPath, decoded, { encoding: 'buffer' });
    return Array.from(
      { length: count },
      (_, index) => stdout.subarray(index * parts, index * parts + parts).filter((luma) => luma > 128).length,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

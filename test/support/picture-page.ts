// Pages of small pictures side by side: made by a test, viewed by people, kept, and compared picture by picture.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { MediaTools } from '../../lambda/publisher/media/media-tools.ts';

const run = promisify(execFile);
const quiet = '-nostdin -loglevel error -y'.split(' ');

export interface PageShape {
  readonly columns: number;
  readonly rows: number;
  /** Side of the square that each picture is fitted into, on grey. */
  readonly tilePixels: number;
}

/** Puts JPEGs of any sizes onto a page, row by row. @returns a JPEG */
export async function pageOf(tools: MediaTools, pictures: readonly Buffer[], shape: PageShape): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'page-'));
  try {
    const paths = pictures.map((_, index) => join(folder, `${index}.jpg`));
    await Promise.all(pictures.map((picture, index) => writeFile(paths[index]!, picture)));
    const size = `${shape.tilePixels}:${shape.tilePixels}`;
    const fitted = `scale=${size}:force_original_aspect_ratio=decrease:flags=area,pad=${size}:-1:-1:gray,setsar=1`;
    const tiles = paths.map((_, index) => `[${index}:v]${fitted}[tile${index}]`);
    const names = paths.map((_, index) => `[tile${index}]`).join('');
    const joined = `${names}concat=n=${paths.length},tile=${shape.columns}x${shape.rows}`;
    const page = join(folder, 'page.jpg');
    const graph = ['-filter_complex', [...tiles, joined].join(';'), '-frames:v', '1', '-q:v', '3', '-update', '1'];
    await run(tools.ffmpegPath, [...quiet, ...paths.flatMap((path) => ['-i', path]), ...graph, page]);
    return await readFile(page);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The SSIM of each picture of a page and its counterpart at the same place of another page, row by row. */
export async function similarities(tools: MediaTools, page: Buffer, kept: string, shape: PageShape): Promise<number[]> {
  const folder = await mkdtemp(join(tmpdir(), 'page-'));
  try {
    const path = join(folder, 'page.jpg');
    await writeFile(path, page);
    const tiles = `untile=${shape.columns}x${shape.rows}`;
    const graph = `[0:v]${tiles}[made];[1:v]${tiles}[kept];[made][kept]ssim=stats_file=-`;
    const compared = ['-i', path, '-i', kept, '-filter_complex', graph, '-f', 'null', '-'];
    const { stdout } = await run(tools.ffmpegPath, [...quiet, ...compared]);
    return [...stdout.matchAll(/All:([\d.]+)/g)].map(([, similarity]) => Number(similarity));
  } finally {
    await rm(folder, { recursive: true });
  }
}

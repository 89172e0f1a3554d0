// The controls of the page in all states and both themes look as they did when a person looked at them last.
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { findMediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import type { MediaTools } from '../../../lambda/publisher/media/media-tools.ts';
import { chromiumPath } from '../../support/chromium.ts';
import { pageOf } from '../../support/picture-page.ts';

const keptPage = join(import.meta.dirname, 'gallery.jpg');
const tiles = [
  'buttons',
  'states',
  'fields',
  'messages',
  'numbers',
  'parts',
  'empty',
  'table',
  'line',
  'bars',
  'rows',
  'still',
];
const gallery = `<!doctype html><html lang="en"><title>Gallery</title>
  <meta id="react-aria-pressable-style"><link rel="stylesheet" href="/page.css">
  <div id="page"></div><script type="module" src="/gallery.js"></script>`;
const themes = ['light', 'dark'] as const;
const shape = { columns: 6, rows: (tiles.length * themes.length) / 6, tilePixels: 320 };
/** Cells of a tile side by side. A cell has the mean colour of 16 × 16 pixels, which evens out edges of letters. */
const cellsAcross = 40;
/** Channels of 256 steps. Another version of Chromium draws letters a little differently. */
const mostStepsApart = 20;
const mostOtherCells = 3;

test.skipIf(!chromiumPath)('controls look as they did (skipped where Chromium is not installed)', async () => {
  const files = await bundle();
  const server = createServer((request, response) => {
    const name = basename(request.url ?? '');
    const types: Readonly<Record<string, string>> = { js: 'text/javascript', css: 'text/css', woff2: 'font/woff2' };
    const found = files.get(name);
    response.setHeader('Content-Type', found ? types[name.split('.').at(-1)!]! : 'text/html');
    response.end(found ?? gallery);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const browser = await chromium.launch({ executablePath: chromiumPath!, args: ['--no-sandbox'] });
  onTestFinished(async () => {
    await browser.close();
    server.close();
  });
  const page = await browser.newPage({
    viewport: { width: 640, height: 900 },
    reducedMotion: 'reduce',
    timezoneId: 'UTC',
    locale: 'en-US',
  });
  const faults: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/gallery`);
  await page.evaluate(() => document.fonts.ready);
  const pictures: Buffer[] = [];
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme });
    for (const tile of tiles)
      pictures.push(await page.locator(`[data-tile=${tile}]`).screenshot({ type: 'jpeg', quality: 95 }));
  }
  expect(faults).toEqual([]);
  const tools = await findMediaTools(process.env);
  const made = await pageOf(tools, pictures, shape);
  if (process.env['KEEP_PAGES']) await writeFile(keptPage, made);
  const [now, then] = await Promise.all([cellsOf(tools, made), cellsOf(tools, await readFile(keptPage))]);
  const names = themes.flatMap((theme) => tiles.map((tile) => `${tile}, ${theme}`));
  const others = names.map((name, index) => [name, otherCells(now, then, index)] as const);
  expect(others.filter(([, count]) => count > mostOtherCells)).toEqual([]);
});

/** The mean colours of a page of tiles, as rows of RGB. */
async function cellsOf({ ffmpegPath }: MediaTools, page: Buffer): Promise<Buffer> {
  const size = `${shape.columns * cellsAcross}:${shape.rows * cellsAcross}`;
  const given = ['-f', 'jpeg_pipe', '-i', '-', '-vf', `scale=${size}:flags=area,format=rgb24`, '-f', 'rawvideo', '-'];
  const child = spawn(ffmpegPath, ['-nostdin', '-v', 'error', ...given], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(page);
  return buffer(child.stdout);
}

/** The number of cells of a tile that have another colour. */
function otherCells(now: Buffer, then: Buffer, tile: number): number {
  const [column, row] = [tile % shape.columns, Math.floor(tile / shape.columns)];
  const width = shape.columns * cellsAcross;
  const starts = Array.from({ length: cellsAcross ** 2 }, (_, cell) => {
    const x = column * cellsAcross + (cell % cellsAcross);
    const y = row * cellsAcross + Math.floor(cell / cellsAcross);
    return 3 * (y * width + x);
  });
  const isOther = (at: number) => [0, 1, 2].some((c) => Math.abs(now[at + c]! - then[at + c]!) > mostStepsApart);
  return starts.filter(isOther).length;
}

async function bundle(): Promise<ReadonlyMap<string, Uint8Array>> {
  const root = join(import.meta.dirname, '../../..');
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'gallery.tsx'), join(root, 'lambda/web/page.css')],
    absWorkingDir: root,
    outdir: '/',
    bundle: true,
    write: false,
    platform: 'browser',
    format: 'esm',
    target: 'es2024',
    jsx: 'automatic',
    entryNames: '[name]',
    assetNames: '[name]',
    publicPath: '/',
    loader: { '.woff2': 'file' },
  });
  return new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
}

// Bundles the web page into the files that are served, in AWS and in the local run.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildSync } from 'esbuild';

const folder = join(import.meta.dirname, '../../lambda/web');

/**
 * @returns the files by path: `index.html`, and below `assets/` the files that it names. The name of such a file
 *   changes with its content, so browsers may keep it for ever
 */
export function bundlePages(): ReadonlyMap<string, Uint8Array> {
  const { outputFiles } = buildSync({
    entryPoints: [join(folder, 'main.tsx'), join(folder, 'page.css')],
    outdir: '/assets',
    entryNames: '[name]-[hash]',
    bundle: true,
    write: false,
    platform: 'browser',
    target: 'es2024',
    format: 'esm',
    jsx: 'automatic',
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
  });
  const files = new Map(outputFiles.map(({ path, contents }) => [`assets/${basename(path)}`, contents]));
  const named = (extension: string) => `/${[...files.keys()].find((path) => path.endsWith(extension))}`;
  const page = readFileSync(join(folder, 'index.html'), 'utf8')
    .replace('STYLE', named('.css'))
    .replace('SCRIPT', named('.js'));
  return files.set('index.html', Buffer.from(page));
}

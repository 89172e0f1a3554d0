// Turns the web page into the files that are served, with the esbuild of this package. The local run uses it too.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildSync } from 'esbuild';

const folder = join(import.meta.dirname, '../../lambda/dashboard');

/** Files by path: `index.html`, and under `assets/` what it names. The names of assets change with their content, so they can be kept for ever. */
export function bundleDashboard(): ReadonlyMap<string, Uint8Array> {
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

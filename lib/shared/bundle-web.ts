// Bundles the web page into the files that are served, in AWS and in the local run.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildSync } from 'esbuild';
import type { Metafile } from 'esbuild';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'lambda/web');

/** The page as it is served, and what of it a browser needs for what. */
export interface BundledPages {
  /**
   * By path: `index.html`, and below `assets/` all that it leads to. The name of such a file changes with its content,
   * so browsers may keep it for ever.
   */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** What is loaded for whatever address: paths of `files`. */
  readonly first: readonly string[];
  /** What each screen loads besides, by the path of its source. */
  readonly screens: ReadonlyMap<string, readonly string[]>;
}

export function bundlePages(): BundledPages {
  const { outputFiles, metafile } = buildSync({
    entryPoints: [join(folder, 'main.tsx'), join(folder, 'page.css')],
    // Packages are looked for from here, wherever the process was started.
    absWorkingDir: root,
    outdir: '/assets',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    platform: 'browser',
    target: 'es2024',
    format: 'esm',
    jsx: 'automatic',
    // What is played has neither alternative sound nor subtitles: the smaller build does, and has no types of its own.
    alias: { 'hls.js': 'hls.js/light' },
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
  });
  const files = new Map<string, Uint8Array>(
    outputFiles.map(({ path, contents }) => [`assets/${basename(path)}`, contents]),
  );
  const entryOf = (source: string) =>
    Object.entries(metafile.outputs).find(([, { entryPoint = '' }]) => entryPoint.endsWith(source))![0];
  const [script, style] = [entryOf('web/main.tsx'), entryOf('web/page.css')];
  const scripts = loadedWith(metafile, script);
  const preloads = scripts.slice(1).map((path) => `<link rel="modulepreload" href="/assets/${basename(path)}" />`);
  const page = readFileSync(join(folder, 'index.html'), 'utf8')
    .replace('<!-- PRELOADS -->', preloads.join('\n    '))
    .replace('STYLE', `/assets/${basename(style)}`)
    .replace('SCRIPT', `/assets/${basename(script)}`);
  files.set('index.html', Buffer.from(page));
  const served = (paths: readonly string[]) => paths.map((path) => `assets/${basename(path)}`);
  const screens = Object.entries(metafile.outputs)
    .filter(([path, { entryPoint }]) => entryPoint?.endsWith('.tsx') && path !== script)
    .map(([path, { entryPoint = '' }]): [string, string[]] => [
      entryPoint,
      served(loadedWith(metafile, path).filter((each) => !scripts.includes(each))),
    ]);
  return { files, first: served([...scripts, style]), screens: new Map(screens) };
}

/** A script, and all that it imports at once, through whatever others. */
function loadedWith({ outputs }: Metafile, script: string): readonly string[] {
  const found = new Set([script]);
  for (const path of found) {
    for (const { kind, path: target } of outputs[path]!.imports) if (kind === 'import-statement') found.add(target);
  }
  return [...found];
}

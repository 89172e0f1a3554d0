// Bundles the web page into the files that are served, in AWS and in the local run.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildSync } from 'esbuild';
import type { Metafile } from 'esbuild';
import { documentOf, languages } from '../../lambda/web/languages.ts';
import type { Language } from '../../lambda/web/languages.ts';
import { documentWords as german } from '../../lambda/web/words/de-document.ts';
import { documentWords as english } from '../../lambda/web/words/en-document.ts';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'lambda/web');
/** The file of the typeface that each screen needs; the other has letters of further languages. */
const firstFont = 'geist-latin-wght';

const wordsOf = { en: english, de: german } as const satisfies Record<Language, object>;

/** The files of the page in all languages. */
export interface BundledPages {
  /**
   * Files by path: a document for each language, and their assets below `assets/`. The name of an asset changes with
   * its content, so browsers may cache it for ever. Assets without words are the same in each language.
   */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly loads: Readonly<Record<Language, PageLoads>>;
}

/** The files that a browser needs for each screen in one language. */
export interface PageLoads {
  /** The path of the document. */
  readonly document: string;
  /** The files that each page of a signed-in user needs: paths of `files`. */
  readonly first: readonly string[];
  /** Those of them that sign-in pages need, too. */
  readonly signIn: readonly string[];
  /** The further files of each screen, by the path of its source. */
  readonly screens: ReadonlyMap<string, readonly string[]>;
}

export function bundlePages(): BundledPages {
  const pages = languages.map((language) => [language, bundlePage(language)] as const);
  return {
    files: new Map(pages.flatMap(([, { files }]) => [...files])),
    loads: Object.fromEntries(pages.map(([language, { loads }]) => [language, loads])) as Record<Language, PageLoads>,
  };
}

interface BundledPage {
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly loads: PageLoads;
}

function bundlePage(language: Language): BundledPage {
  const { outputFiles, metafile } = buildSync({
    entryPoints: [join(folder, 'main.tsx'), join(folder, 'page.css')],
    // Packages are resolved from here, independent of the process' working directory.
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
    // The package's import #words is the catalogue of this language. The bundler forgets its usual condition.
    conditions: ['module', language],
    // Played media has neither alternative sound nor subtitles, so the smaller build is enough. It has no types of its
    // own.
    alias: { 'hls.js': 'hls.js/light' },
    loader: { '.woff2': 'file' },
    assetNames: '[name]-[hash]',
    publicPath: '/assets',
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
  const always = loadedWith(metafile, script);
  const shell = loadedWith(metafile, entryOf('web/app/app.tsx')).filter((path) => !always.includes(path));
  const scripts = new Set([...always, ...shell]);
  const preload = (path: string, more = '') => `<link rel="modulepreload"${more} href="/assets/${basename(path)}" />`;
  // Sign-in pages do not wait for the shell, which comes after the other files.
  const preloads = [
    ...always.slice(1).map((path) => preload(path)),
    ...shell.map((path) => preload(path, ' fetchpriority="low"')),
  ];
  // Without it, the font would be asked for only when the style has come.
  const font = [...files.keys()].find((path) => path.includes(firstFont))!;
  preloads.push(`<link rel="preload" as="font" type="font/woff2" crossorigin href="/${font}" />`);
  const page = readFileSync(join(folder, 'index.html'), 'utf8')
    .replace('<!-- PRELOADS -->', preloads.join('\n    '))
    .replace('LANGUAGE', language)
    .replace('DESCRIPTION', wordsOf[language].description)
    .replace('NO_SCRIPT', wordsOf[language].noScript)
    .replace('STYLE', `/assets/${basename(style)}`)
    .replace('SCRIPT', `/assets/${basename(script)}`);
  files.set(documentOf(language), Buffer.from(page));
  const served = (paths: readonly string[]) => paths.map((path) => `assets/${basename(path)}`);
  const screens = Object.entries(metafile.outputs)
    .filter(([path, { entryPoint }]) => entryPoint?.endsWith('.tsx') && !scripts.has(path))
    .map(([path, { entryPoint = '' }]): [string, string[]] => [
      entryPoint,
      served(loadedWith(metafile, path).filter((each) => !scripts.has(each))),
    ]);
  const signIn = [...served([...always, style]), font];
  const loads = { document: documentOf(language), first: [...signIn, ...served(shell)], signIn };
  return { files, loads: { ...loads, screens: new Map(screens) } };
}

/** A script, and all scripts that it imports statically, directly or indirectly. */
function loadedWith({ outputs }: Metafile, script: string): readonly string[] {
  const found = new Set([script]);
  for (const path of found) {
    for (const { kind, path: target } of outputs[path]!.imports) if (kind === 'import-statement') found.add(target);
  }
  return [...found];
}

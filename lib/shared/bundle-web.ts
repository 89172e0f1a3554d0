// Bundles the web page into the files that are served, in AWS and in the local run.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { buildSync } from 'esbuild';
import type { Metafile } from 'esbuild';
import { documentOf, languages } from '../../lambda/web/languages.ts';
import type { Language } from '../../lambda/web/languages.ts';
import type { SignInPath } from '../../lambda/web/paths.ts';
import { signInPaths } from '../../lambda/web/paths.ts';
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
  const served = (paths: readonly string[]) => paths.map((path) => `assets/${basename(path)}`);
  const beside = (path: string, loaded: ReadonlySet<string>) =>
    served(loadedWith(metafile, path).filter((each) => !loaded.has(each)));
  const screens = new Map(
    Object.entries(metafile.outputs)
      .filter(([path, { entryPoint }]) => entryPoint?.endsWith('.tsx') && !scripts.has(path))
      .map(([path, { entryPoint = '' }]) => [entryPoint, beside(path, scripts)]),
  );
  const [preload, preloading] = preloadScript({
    ...Object.fromEntries(signInPaths.map((path) => [path, beside(entryOf(sourceOf(path)), new Set(always))])),
    shell: served(shell),
  });
  files.set(preload, preloading);
  const preloads = served(always.slice(1)).map((path) => `<link rel="modulepreload" href="/${path}" />`);
  // Without it, the font would be asked for only when the style has come.
  const font = [...files.keys()].find((path) => path.includes(firstFont))!;
  preloads.push(`<link rel="preload" as="font" type="font/woff2" crossorigin href="/${font}" />`);
  const page = readFileSync(join(folder, 'index.html'), 'utf8')
    .replace('<!-- PRELOADS -->', preloads.join('\n    '))
    .replace('PRELOAD', `/${preload}`)
    .replace('LANGUAGE', language)
    .replace('DESCRIPTION', wordsOf[language].description)
    .replace('NO_SCRIPT', wordsOf[language].noScript)
    .replace('STYLE', `/assets/${basename(style)}`)
    .replace('SCRIPT', `/assets/${basename(script)}`);
  files.set(documentOf(language), Buffer.from(page));
  const signIn = [preload, ...served([...always, style]), font];
  const loads = { document: documentOf(language), first: [...signIn, ...served(shell)], signIn, screens };
  return { files, loads };
}

/** The source of a sign-in page, from the top of the project. */
export function sourceOf(path: SignInPath): string {
  return path === '/error' ? 'lambda/web/error-page.tsx' : `lambda/web/sign-in${path}-page.tsx`;
}

/** The path and the contents of the script that asks for files of an address, by that address. */
function preloadScript(paths: Readonly<Record<string, readonly string[]>>): readonly [string, Uint8Array] {
  const addresses = Object.fromEntries(
    Object.entries(paths).map(([path, each]) => [path, each.map((file) => `/${file}`)]),
  );
  const { outputFiles } = buildSync({
    entryPoints: [join(folder, 'preload.ts')],
    outdir: '/assets',
    entryNames: '[name]-[hash]',
    bundle: true,
    write: false,
    target: 'es2024',
    define: { FILES: JSON.stringify(addresses) },
    minify: true,
  });
  return [`assets/${basename(outputFiles[0]!.path)}`, outputFiles[0]!.contents];
}

/** A script, and all scripts that it imports statically, directly or indirectly. */
function loadedWith({ outputs }: Metafile, script: string): readonly string[] {
  const found = new Set([script]);
  for (const path of found) {
    for (const { kind, path: target } of outputs[path]!.imports) if (kind === 'import-statement') found.add(target);
  }
  return [...found];
}

// Turns entry points into the files that are deployed, with the esbuild of this package. The publisher's Dockerfile uses it too.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type BuildOptions, buildSync } from 'esbuild';

/** Contents by path: `index.mjs`, its source map, and below `node_modules` what is loaded on first use. */
export type Bundle = ReadonlyMap<string, string | Uint8Array>;

/** Large, imported by `import()` where few requests need them: kept apart, as every start would have to read them. */
const loadedOnUse = [
  'rrule-temporal',
  'stripe',
  '@aws-sdk/client-s3',
  '@aws-sdk/client-sqs',
  '@aws-sdk/s3-request-presigner',
];

const options = {
  outExtension: { '.js': '.mjs' },
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  mainFields: ['module', 'main'],
  minify: true,
  sourcesContent: false,
  logLevel: 'warning',
} satisfies BuildOptions;

/**
 * Bundles each entry by itself, but all in one run, which reads what they share once.
 * @param entries paths of the modules to begin with, below `sourceFolder`
 * @param aliases packages that are replaced, by what they are replaced with
 * @returns the bundle of each
 */
export function bundle(
  sourceFolder: string,
  entries: readonly string[],
  aliases: Readonly<Record<string, string>> = {},
): ReadonlyMap<string, Bundle> {
  // Nothing is written there. Source maps name sources from there, so they say the same wherever this is.
  const outputFolder = join(sourceFolder, '../bundles');
  const { outputFiles } = buildSync({
    ...options,
    write: false,
    entryPoints: entries.map((entry) => ({ in: join(sourceFolder, entry), out: join(entry, 'index') })),
    outdir: outputFolder,
    sourcemap: true,
    // The SDK is bundled: what runs is what was tested. `pg` asks for its native binding only when told to.
    external: ['pg-native', ...loadedOnUse],
    alias: aliases,
    // CommonJS packages in an ESM bundle call `require` for Node's own modules.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  const apart = new Map(loadedOnUse.map((name) => [name, bundledPackage(name, aliases)]));
  return new Map(
    entries.map((entry) => {
      const own = outputFiles.filter(({ path }) => dirname(path) === join(outputFolder, entry));
      const used = loadedOnUse.filter((name) => own.some(({ text }) => text.includes(`import("${name}")`)));
      return [
        entry,
        new Map([
          ...own.map(({ path, contents }) => [relative(join(outputFolder, entry), path), contents] as const),
          ...used.flatMap((name) => apart.get(name)!),
        ]),
      ];
    }),
  );
}

export function writeBundle(files: Bundle, folder: string): void {
  for (const [path, contents] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), contents);
  }
}

/** A package as one module, where Node looks for it. */
function bundledPackage(
  name: string,
  alias: Readonly<Record<string, string>>,
): [path: string, contents: string | Uint8Array][] {
  const { outputFiles } = buildSync({
    ...options,
    alias,
    write: false,
    stdin: { contents: `export * from '${name}';`, resolveDir: import.meta.dirname },
  });
  const folder = join('node_modules', name);
  return [
    [join(folder, 'package.json'), JSON.stringify({ name, type: 'module', exports: './index.mjs' })],
    [join(folder, 'index.mjs'), outputFiles[0]!.contents],
  ];
}

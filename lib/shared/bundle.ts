// Bundles the entry points of lambda/ into the files that are deployed. The publisher's Dockerfile uses it too.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type BuildOptions, buildSync } from 'esbuild';

/** Contents by path: `index.mjs`, its source map, and below `node_modules` the packages that are loaded when used. */
export type Bundle = ReadonlyMap<string, string | Uint8Array>;

/**
 * Large packages that few requests need. The code loads them by `import()`. They are files beside the bundle, because
 * every start of a function would otherwise read them.
 */
const loadedOnUse = [
  'rrule-temporal',
  'oauth4webapi',
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
 * Creates a bundle of each entry. One run of esbuild creates all, and reads shared modules only once.
 * @param entries paths of the entries' modules, relative to `sourceFolder`
 * @param aliases packages to replace, each with the path of its replacement
 * @returns the bundles by entry
 */
export function bundle(
  sourceFolder: string,
  entries: readonly string[],
  aliases: Readonly<Record<string, string>> = {},
): ReadonlyMap<string, Bundle> {
  // Nothing is written to this folder. Source maps name their sources relative to it, so they do not contain the
  // location of the repository.
  const outputFolder = join(sourceFolder, '../bundles');
  const { outputFiles } = buildSync({
    ...options,
    write: false,
    entryPoints: entries.map((entry) => ({ in: join(sourceFolder, entry), out: join(entry, 'index') })),
    outdir: outputFolder,
    sourcemap: true,
    // The AWS SDK is bundled, not taken from Lambda, so that the tested code runs. `pg` loads `pg-native` only if a
    // program requests it, and none does. `canvas` is native code, which the publisher's image has beside its bundles.
    external: ['pg-native', '@napi-rs/canvas', ...loadedOnUse],
    alias: aliases,
    // CommonJS packages call `require` for Node's own modules, but an ESM bundle has no `require`.
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

/** Bundles a package into one module, at the path at which Node expects the package. */
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

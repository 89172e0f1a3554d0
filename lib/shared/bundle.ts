// Turns entry points into the files that are deployed, with the esbuild of this package. The publisher's Dockerfile uses it too.
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { buildSync, type OutputFile } from 'esbuild';

/** `index.mjs` and its source map. */
export type Bundle = readonly OutputFile[];

/**
 * Bundles each entry by itself, but all in one run, which reads what they share once.
 * @param entries paths of the modules to begin with, below `sourceFolder`
 * @param aliases packages that are replaced, by what they are replaced with
 * @returns the bundle of each
 */
export function bundle(sourceFolder: string, entries: readonly string[], aliases: Readonly<Record<string, string>> = {}): ReadonlyMap<string, Bundle> {
  // Nothing is written there. Source maps name sources from there, so they say the same wherever this is.
  const outputFolder = join(sourceFolder, '../bundles');
  const { outputFiles } = buildSync({
    entryPoints: entries.map((entry) => ({ in: join(sourceFolder, entry), out: join(entry, 'index') })),
    outdir: outputFolder,
    write: false,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    minify: true,
    sourcemap: true,
    sourcesContent: false,
    // The SDK is bundled: what runs is what was tested. `pg` asks for its native binding only when told to.
    external: ['pg-native'],
    alias: aliases,
    // CommonJS packages in an ESM bundle call `require` for Node's own modules.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'warning',
  });
  return new Map(entries.map((entry) => [entry, outputFiles.filter(({ path }) => dirname(path) === join(outputFolder, entry))]));
}

export function writeBundle(files: Bundle, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const { path, contents } of files) writeFileSync(join(folder, basename(path)), contents);
}

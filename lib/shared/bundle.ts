// Turns an entry point into the one file that is deployed, with the esbuild of this package. The publisher's Dockerfile uses it too.
import { join } from 'node:path';
import { buildSync } from 'esbuild';

/**
 * Writes `index.mjs` and its source map.
 * @param entry path of the module to begin with
 * @param aliases packages that are replaced, by what they are replaced with
 */
export function bundle(entry: string, outputFolder: string, aliases: Readonly<Record<string, string>> = {}): void {
  buildSync({
    entryPoints: [entry],
    outfile: join(outputFolder, 'index.mjs'),
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
}

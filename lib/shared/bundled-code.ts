// Turns a Lambda entry point into the one file that is deployed, with the esbuild of this package: no Docker, no shell.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { buildSync } from 'esbuild';

const lambdaFolder = join(import.meta.dirname, '../../lambda');

/**
 * @param entry file below `lambda/`, e.g. `api/api.lambda.ts`; becomes `index.mjs`
 * @param folders folders below `lambda/` put beside it, by the name they have there
 */
export function bundledCode(entry: string, folders: Readonly<Record<string, string>>): Code {
  return Code.fromAsset(lambdaFolder, {
    // Only a changed bundle is a changed function, wherever and whenever it was made.
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: DockerImage.fromRegistry('not-used'),
      // Never run: it tells the CDK's cache of bundles one entry from another.
      command: [entry, JSON.stringify(folders)],
      local: {
        tryBundle(outputFolder) {
          bundle(entry, outputFolder);
          for (const [name, folder] of Object.entries(folders)) cpSync(join(lambdaFolder, folder), join(outputFolder, name), { recursive: true });
          return true;
        },
      },
    },
  });
}

function bundle(entry: string, outputFolder: string): void {
  buildSync({
    entryPoints: [join(lambdaFolder, entry)],
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
    // CommonJS packages in an ESM bundle call `require` for Node's own modules.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'warning',
  });
}

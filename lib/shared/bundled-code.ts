// The code of a Lambda function as the CDK takes it: bundled at synth, in this process, without Docker.
import { cpSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { type Bundle, bundle, writeBundle } from './bundle.ts';
import { functionAliases } from './function-aliases.ts';

const lambdaFolder = join(import.meta.dirname, '../../lambda');
let bundles: ReadonlyMap<string, Bundle> | undefined;

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
          writeBundle(bundleOf(entry), outputFolder);
          for (const [name, folder] of Object.entries(folders))
            cpSync(join(lambdaFolder, folder), join(outputFolder, name), { recursive: true });
          return true;
        },
      },
    },
  });
}

/** The first that is asked for makes all, as one run is much faster. */
function bundleOf(entry: string): Bundle {
  bundles ??= bundle(lambdaFolder, globSync('*/*.lambda.ts', { cwd: lambdaFolder }), functionAliases);
  const found = bundles.get(entry);
  if (!found) throw new Error(`there is no lambda/${entry}`);
  return found;
}

// The code of a Lambda function for the CDK: it is bundled in this process at synth, without Docker.
import { cpSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { type Bundle, bundle, writeBundle } from './bundle.ts';
import { functionAliases } from './function-aliases.ts';

const lambdaFolder = join(import.meta.dirname, '../../lambda');
let bundles: ReadonlyMap<string, Bundle> | undefined;

/**
 * @param entry a file below `lambda/`, such as `api/api.lambda.ts`, which becomes `index.mjs`
 * @param folders folders below `lambda/` to put beside it, by the name that they have there
 * @param moreFiles makes files to put beside it, by their paths there
 */
export function bundledCode(
  entry: string,
  folders: Readonly<Record<string, string>>,
  moreFiles: () => Bundle = () => new Map(),
): Code {
  return Code.fromAsset(lambdaFolder, {
    // The hash is that of the bundle: a function changes only if its bundle does, wherever the bundle was made.
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: DockerImage.fromRegistry('not-used'),
      // This command is never run. By it the CDK's cache of bundles tells one entry from another.
      command: [entry, JSON.stringify(folders)],
      local: {
        tryBundle(outputFolder) {
          writeBundle(bundleOf(entry), outputFolder);
          writeBundle(moreFiles(), outputFolder);
          for (const [name, folder] of Object.entries(folders))
            cpSync(join(lambdaFolder, folder), join(outputFolder, name), { recursive: true });
          return true;
        },
      },
    },
  });
}

/** The first call makes the bundles of all functions: one run for all of them is much faster than a run for each. */
function bundleOf(entry: string): Bundle {
  bundles ??= bundle(lambdaFolder, globSync('*/*.lambda.ts', { cwd: lambdaFolder }), functionAliases);
  const found = bundles.get(entry);
  if (!found) throw new Error(`there is no lambda/${entry}`);
  return found;
}

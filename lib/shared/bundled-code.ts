// The code of a Lambda function for the CDK, bundled without Docker.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { lambdaFolder, writeFunction } from '#artifacts';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';

/**
 * @param entry a file in `lambda/`, such as `api/api.lambda.ts`, which becomes `index.mjs`
 * @param folders folders in `lambda/` to add beside it, by their names in the bundle
 */
export function bundledCode(entry: string, folders: Readonly<Record<string, string>>): Code {
  return Code.fromAsset(lambdaFolder, {
    // A hash of the bundle: a function changes only if its bundle does, on whichever machine the bundle was made.
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: DockerImage.fromRegistry('not-used'),
      // This command is never run. The CDK's cache of bundles uses it as a key.
      command: [entry, JSON.stringify(folders)],
      local: {
        tryBundle(outputFolder) {
          writeFunction(entry, outputFolder);
          for (const [name, folder] of Object.entries(folders))
            cpSync(join(lambdaFolder, folder), join(outputFolder, name), { recursive: true });
          return true;
        },
      },
    },
  });
}

// The code of a Lambda function for the CDK, bundled without Docker.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { lambdaFolder, writeFunction } from '#artifacts';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';

/**
 * @param entry a file below `lambda/`, such as `api/api.lambda.ts`, which becomes `index.mjs`
 * @param folders folders below `lambda/` to put beside it, by the name that they have there
 */
export function bundledCode(entry: string, folders: Readonly<Record<string, string>>): Code {
  return Code.fromAsset(lambdaFolder, {
    // The hash is that of the bundle: a function changes only if its bundle does, wherever the bundle was made.
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      image: DockerImage.fromRegistry('not-used'),
      // This command is never run. By it the CDK's cache of bundles tells one entry from another.
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

// The code of functions, page and image in this repository: bundled from its sources at synth, without Docker.
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Bundle, bundle, writeBundle } from '../shared/bundle.ts';
import { bundlePages } from '../shared/bundle-web.ts';
import { functionAliases } from '../shared/function-aliases.ts';

const rootFolder = join(import.meta.dirname, '../..');
let bundles: ReadonlyMap<string, Bundle> | undefined;

/** The path of that script in the repository. */
export const natMachinePath = 'lib/network/nat-machine.sh';

/** The folder of the sources. Folders that functions need beside their code are in it. */
export const lambdaFolder = join(rootFolder, 'lambda');

/** The entries of all functions: paths relative to `lambdaFolder`, such as `api/api.lambda.ts`. */
export function functionEntries(): readonly string[] {
  return globSync('*/*.lambda.ts', { cwd: lambdaFolder });
}

/**
 * Writes the code of a function into a folder, with `index.mjs` as its module. The first call bundles all functions,
 * because one run for all is much faster than a run for each.
 * @throws if the entry does not exist
 */
export function writeFunction(entry: string, folder: string): void {
  bundles ??= bundle(lambdaFolder, functionEntries(), functionAliases);
  const found = bundles.get(entry);
  if (!found) throw new Error(`there is no lambda/${entry}`);
  writeBundle(found, folder);
}

/** The script that a NAT machine runs when it starts. */
export function natMachineScript(): string {
  return readFileSync(join(rootFolder, natMachinePath), 'utf8');
}

/** Writes the web page into a folder. */
export function writePage(folder: string): void {
  for (const [path, content] of bundlePages().files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/**
 * The build context of the publisher's image: a folder, its Dockerfile, and the files that the Dockerfile copies. Only
 * these files are sent to Docker, and only they change the image's hash.
 */
export const publisherBuild = {
  directory: rootFolder,
  file: 'lambda/publisher/Dockerfile',
  copied: ['package.json', 'package-lock.json', '.npmrc', 'lambda', 'lib/shared/bundle.ts'],
};

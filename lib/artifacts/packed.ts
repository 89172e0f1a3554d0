// The code of functions, page and image in the packed library, bundled by `npm run library`.
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as fromSources from './from-sources.ts';

/** The folder of the library. Its modules are in one of its subfolders. */
const libraryFolder = join(import.meta.dirname, '..');

export const lambdaFolder: typeof fromSources.lambdaFolder = join(libraryFolder, 'lambda');

export const writeFunction: typeof fromSources.writeFunction = (entry, folder) => {
  const packed = join(libraryFolder, 'functions', entry);
  if (!existsSync(packed)) throw new Error(`this library has no function ${entry}`);
  cpSync(packed, folder, { recursive: true });
};

export const writePage: typeof fromSources.writePage = (folder) =>
  cpSync(join(libraryFolder, 'page'), folder, { recursive: true });

export const natMachinePath: typeof fromSources.natMachinePath = 'lib/network/nat-machine.sh';

export const natMachineScript: typeof fromSources.natMachineScript = () =>
  readFileSync(join(libraryFolder, natMachinePath), 'utf8');

export const publisherBuild: typeof fromSources.publisherBuild = {
  directory: join(libraryFolder, 'image'),
  file: 'Dockerfile',
  copied: ['agent'],
};

// `npm run library`: creates the folder .library; `npm pack ./.library` packs it for CDK apps of others.
import { join } from 'node:path';
import { buildLibrary } from './library/build-library.ts';

const folder = join(import.meta.dirname, '../.library');
try {
  await buildLibrary(folder);
  console.log('The library is in .library. Pack it: npm pack ./.library');
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

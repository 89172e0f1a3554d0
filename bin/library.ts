// `npm run library`: creates the folder .library; `npm pack ./.library` packs it for CDK apps of others.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { apiReference } from './library/api-reference.ts';
import { buildLibrary } from './library/build-library.ts';
import { libraryModules } from './library/library-package.ts';

const root = join(import.meta.dirname, '..');
const folder = join(root, '.library');
const usage = `Makes a library of lib/ for CDK apps of others.

  npm run library                    makes .library; pack it: npm pack ./.library
  npm run library -- --reference     writes lib/API.md from the comments in the code`;

try {
  const { values } = parseArgs({ options: { reference: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } });
  if (values.help) console.log(usage);
  else if (values.reference) {
    const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    writeFileSync(join(root, 'lib/API.md'), apiReference(root, libraryModules(own)));
  } else {
    await buildLibrary(folder);
    console.log('The library is in .library. Pack it: npm pack ./.library');
  }
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

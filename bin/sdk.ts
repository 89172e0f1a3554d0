// `npm run sdk`: builds the SDKs for TypeScript and Python from the description of the API.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPython, buildTypescript, keepBuilt } from './sdk/build-sdk.ts';

const usage = `Builds packages of both SDKs in .local/sdk. lambda/surfaces/sdk/README.md describes them.
If both can be built, built-from.json there is of this description, and is to be committed.

  npm run sdk                             both
  npm run sdk -- --only typescript        one of typescript and python
  npm run sdk -- --name loop-streaming    by the name that registries know`;

try {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      name: { type: 'string', default: 'loop-streaming' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const folder = join(import.meta.dirname, '../.local/sdk');
  if (values.help) console.log(usage);
  else {
    if (values.only !== 'python') console.log(await buildTypescript(folder, values.name));
    if (values.only !== 'typescript') console.log(await buildPython(folder, values.name));
    if (values.only === undefined) await keepBuilt();
  }
} catch (error) {
  // The output of a generator or a compiler names the place in the description that it cannot work with.
  console.error((error as Error).message);
  process.exitCode = 1;
}

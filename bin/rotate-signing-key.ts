// `npm run rotate-signing-key`: gives the live local run a new key for signing access tokens.
// The procedure for a stage in AWS: lib/README.md, “Rotate secrets”.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { rotateSigningKey } from '../lambda/auth/signing-keys.ts';
import { createPool } from '../lambda/data/shared/queryable.ts';
import { createFileKeyWrapper } from '../lambda/ports/sealer/key-wrapper.ts';
import { openSealer } from '../lambda/ports/sealer/open-sealer.ts';
import { DataFolder } from './local/data-folder.ts';

const { values } = parseArgs({ options: { data: { type: 'string', default: '.local' } } });
const folder = DataFolder.at(resolve(values.data));
const connection = await folder.connection();
if (connection) {
  const pool = createPool({ connectionString: connection.databaseURL, max: 1 });
  const sealer = await openSealer(pool, createFileKeyWrapper(await readFile(folder.masterKeyFile), 'data key'));
  const signsFrom = await rotateSigningKey(pool, sealer, new Date());
  await pool.end();
  console.log(
    `The next key is published, and signs from ${signsFrom.toISOString()} on. ` +
      'Tokens that the former key signed stay valid.',
  );
} else {
  console.error(
    `No local run uses ${join(folder.path, 'connection.json')}. ` +
      'Start it with npm start, or name its folder with --data.',
  );
  process.exitCode = 1;
}

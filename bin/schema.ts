// `npm run schema`: prints the schema after all migrations as one file, and writes lambda/data/schema.sql.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createPool } from '../lambda/data/shared/queryable.ts';
import { migrate } from '../lambda/migrate/migrate.ts';
import { schemaText } from '../lambda/migrate/schema-text.ts';
import { startThrowawayPostgres } from './local/postgres/postgres.ts';

const file = new URL('../lambda/data/schema.sql', import.meta.url);
const usage = `Prints the schema that the migrations make, from a database that is made for it.

  npm run schema                prints it
  npm run schema -- --write     writes it to lambda/data/schema.sql`;

try {
  const { values } = parseArgs({
    options: { write: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } },
  });
  if (values.help) console.log(usage);
  else {
    const text = await migratedSchema();
    if (values.write) writeFileSync(file, text);
    else process.stdout.write(text);
  }
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

async function migratedSchema(): Promise<string> {
  const postgres = await startThrowawayPostgres();
  const pool = createPool({ connectionString: postgres.url, max: 4 });
  try {
    await migrate(pool);
    return await schemaText(pool);
  } finally {
    await pool.end();
    await postgres.stop();
  }
}

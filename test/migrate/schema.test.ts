// lambda/data/schema.sql: the complete schema that the migrations create.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { schemaText } from '../../lambda/migrate/schema-text.ts';
import { testDatabase } from '../support/database.ts';

const database = testDatabase();

it('is what the migrations make', async () => {
  const file = readFileSync(join(import.meta.dirname, '../../lambda/data/schema.sql'), 'utf8');
  expect(await schemaText(database.pool()), 'write it: npm run schema -- --write').toBe(file);
});

it('is not made of a schema that has things of other kinds', async () => {
  await database.pool().query(`create view names as select name from users; comment on table users is 'all'`);
  await expect(schemaText(database.pool())).rejects.toThrow(/does not show: relation names, comment all$/);
});

// Before all tests: one Postgres server (or DATABASE_URL's) with a migrated database that every test file clones.
import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import type { TestProject } from 'vitest/node';
import { startPostgres } from '../../bin/local/postgres.ts';
import { migrate } from '../../lambda/migrate/migrate.ts';
import { dropDatabase, onServer, urlOfDatabase } from './database.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A superuser's URL of the server the tests run on. */
    postgresURL: string;
    /** The database to clone: migrated, empty, never connected to. */
    templateDatabase: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const own = process.env.DATABASE_URL ? undefined : await startPostgres({ durable: false });
  const postgresURL = own?.url ?? process.env.DATABASE_URL ?? '';
  const templateDatabase = `test_template_${randomUUID()}`;
  const tearDown = async () => {
    if (own) await own.stop();
    else await dropDatabase(postgresURL, templateDatabase);
  };
  try {
    await onServer(postgresURL, `create database "${templateDatabase}"`);
    const template = new Pool({ connectionString: urlOfDatabase(postgresURL, templateDatabase) });
    try {
      await migrate(template);
    } finally {
      await template.end();
    }
  } catch (error) {
    await tearDown();
    throw error;
  }
  project.provide('postgresURL', postgresURL);
  project.provide('templateDatabase', templateDatabase);
  return tearDown;
}

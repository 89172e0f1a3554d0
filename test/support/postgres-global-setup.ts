// Starts one Postgres server before all tests (or uses DATABASE_URL), with a database for every file to clone.
import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import type { TestProject } from 'vitest/node';
import { startThrowawayPostgres } from '../../bin/local/postgres/postgres.ts';
import { createRoles } from '../../lambda/migrate/database-roles.ts';
import { migrate } from '../../lambda/migrate/migrate.ts';
import { dropDatabase, onServer, urlOfDatabase } from './database.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The URL of the server for a superuser. */
    postgresURL: string;
    /** The name of the database to clone: migrated, empty, and without connections. */
    templateDatabase: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const own = process.env.DATABASE_URL ? undefined : await startThrowawayPostgres();
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
      await createRoles(template);
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

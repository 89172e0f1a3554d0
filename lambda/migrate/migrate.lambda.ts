// Runs the migrations at a deploy, and keeps the role by which everything else connects.
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { join } from 'node:path';
import { createPool } from '../data/queryable.ts';
import { jsonLog } from '../log.ts';
import { readMigrateEnvironment, serviceRole } from './environment.ts';
import { migrate } from './migrate.ts';

/** The role may read and write rows, but not change the schema. It has no password: RDS checks its IAM token. */
const keepServiceRole = `
  do $$ begin
    if not exists (select from pg_roles where rolname = '${serviceRole}') then create role ${serviceRole} login; end if;
    if exists (select from pg_roles where rolname = 'rds_iam') then grant rds_iam to ${serviceRole}; end if;
  end $$;
  grant usage on schema public to ${serviceRole};
  grant select, insert, update, delete on all tables in schema public to ${serviceRole};
  grant usage on all sequences in schema public to ${serviceRole};`;

/** A thrown error fails the deploy. */
export async function handler(): Promise<void> {
  const { secretARN, host, database } = readMigrateEnvironment(process.env);
  const { SecretString } = await new SecretsManagerClient().send(new GetSecretValueCommand({ SecretId: secretARN }));
  const { username, password } = JSON.parse(SecretString!) as { username: string; password: string };
  const pool = createPool({ host, database, user: username, password, ssl: { rejectUnauthorized: true }, max: 1 });
  try {
    // The bundle carries the SQL files beside itself.
    const applied = await migrate(pool, join(import.meta.dirname, 'migrations'));
    await pool.query(keepServiceRole);
    jsonLog('migrated', { applied });
  } finally {
    await pool.end();
  }
}

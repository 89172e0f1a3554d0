// Runs the migrations at a deploy, keeps the role by which everything else connects, and makes and rotates the signing key.
import { join } from 'node:path';
import { ensureSigningKey, rotateSigningKey } from '../auth/signing-keys.ts';
import { createPool } from '../data/queryable.ts';
import { jsonLog } from '../log.ts';
import { readSecret } from '../ports/call-aws.ts';
import { createKMSKeyWrapper } from '../ports/sealer/key-wrapper.ts';
import { openSealer } from '../ports/sealer/open-sealer.ts';
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

/** A thrown error fails the deploy. @param event `rotateSigningKey` is sent by hand: lib/README.md, “Rotate secrets” */
export async function handler(event: { readonly rotateSigningKey?: boolean } | null): Promise<void> {
  const { secretARN, host, database, sealingKeyARN } = readMigrateEnvironment(process.env);
  const { username, password } = JSON.parse(await readSecret(secretARN)) as { username: string; password: string };
  const pool = createPool({ host, database, user: username, password, ssl: { rejectUnauthorized: true }, max: 1 });
  try {
    // The bundle carries the SQL files beside itself.
    const applied = await migrate(pool, join(import.meta.dirname, 'migrations'));
    await pool.query(keepServiceRole);
    const sealer = await openSealer(pool, createKMSKeyWrapper(sealingKeyARN));
    await ensureSigningKey(pool, sealer, new Date());
    jsonLog('migrated', { applied });
    if (event?.rotateSigningKey)
      jsonLog('signing_key_rotated', { signsFrom: await rotateSigningKey(pool, sealer, new Date()) });
  } finally {
    await pool.end();
  }
}

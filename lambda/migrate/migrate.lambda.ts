// Runs the migrations at a deploy, maintains the role of all other functions, and manages the signing key.
import { join } from 'node:path';
import { ensureSigningKey, rotateSigningKey } from '../auth/signing-keys.ts';
import { createPool } from '../data/shared/queryable.ts';
import { statementSeconds } from '../data/shared/statement-time.ts';
import { jsonLog } from '../log.ts';
import { readSecret } from '../ports/aws/call-aws.ts';
import { createKMSKeyWrapper } from '../ports/sealer/key-wrapper.ts';
import { openSealer } from '../ports/sealer/open-sealer.ts';
import { readMigrateEnvironment, serviceRole } from './environment.ts';
import { BeforeBaselineError, migrate } from './migrate.ts';
import { recoverStage } from './recover-stage.ts';
import type { RecoveryAnswer, RecoveryRequest } from './recover-stage.ts';

/**
 * The role of everything except the migration. It may read and write rows, but not change the schema. It has no
 * password: RDS verifies its IAM token.
 */
const keepServiceRole = `
  do $$ begin
    if not exists (select from pg_roles where rolname = '${serviceRole}') then create role ${serviceRole} login; end if;
    if exists (select from pg_roles where rolname = 'rds_iam') then grant rds_iam to ${serviceRole}; end if;
  end $$;
  alter role ${serviceRole} set statement_timeout = '${statementSeconds}s';
  grant usage on schema public to ${serviceRole};
  grant select, insert, update, delete on all tables in schema public to ${serviceRole};
  grant usage on all sequences in schema public to ${serviceRole};
  revoke update, delete on operator_commands, operator_outcomes from ${serviceRole};`;

interface MigrationEvent {
  /** Sent manually to rotate the signing key as well: lib/README.md, “Rotate secrets”. */
  readonly rotateSigningKey?: boolean;
  /** Sent by `npm run recover`: lib/README.md, “Recover a stage”. */
  readonly recover?: RecoveryRequest;
}

/** @throws if any part fails; then the deploy fails */
export async function handler(event: MigrationEvent | null): Promise<RecoveryAnswer | null> {
  const { secretARN, host, database, sealingKeyARN } = readMigrateEnvironment(process.env);
  const { username, password } = JSON.parse(await readSecret(secretARN)) as { username: string; password: string };
  const owner = { host, database, user: username, password, ssl: { rejectUnauthorized: true } };
  // The SQL files are in a folder next to the bundle.
  const migrations = join(import.meta.dirname, 'migrations');
  if (event?.recover) return await recoverStage(owner, migrations, event.recover, jsonLog);
  const pool = createPool({ ...owner, max: 1 });
  try {
    const applied = await migrate(pool, migrations);
    await pool.query(keepServiceRole);
    const sealer = await openSealer(pool, createKMSKeyWrapper(sealingKeyARN, 'data key'));
    await openSealer(pool, createKMSKeyWrapper(sealingKeyARN, 'sources'));
    await ensureSigningKey(pool, sealer, new Date());
    jsonLog('migrated', { applied });
    if (event?.rotateSigningKey)
      jsonLog('signing_key_rotated', { signsFrom: await rotateSigningKey(pool, sealer, new Date()) });
    return null;
  } catch (error) {
    if (!(error instanceof BeforeBaselineError)) throw error;
    throw new Error(`${error.message} Destroy the stage (lib/README.md, “Destroy”), and deploy it again.`, {
      cause: error,
    });
  } finally {
    await pool.end();
  }
}

// Runs the migrations at a deploy, maintains the roles of all other functions and tasks, and manages the signing key.
import { join } from 'node:path';
import { ensureSigningKey, rotateSigningKey } from '../auth/signing-keys.ts';
import { createPool } from '../data/shared/queryable.ts';
import { jsonLog } from '../log.ts';
import { readSecret } from '../ports/aws/call-aws.ts';
import { createKMSKeyWrapper } from '../ports/sealer/key-wrapper.ts';
import { openSealer } from '../ports/sealer/open-sealer.ts';
import { createRoles, grantRights } from './database-roles.ts';
import { readMigrateEnvironment } from './environment.ts';
import { BeforeBaselineError, migrate } from './migrate.ts';
import { recoverStage } from './recover-stage.ts';
import type { RecoveryAnswer, RecoveryRequest } from './recover-stage.ts';

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
    await createRoles(pool);
    await grantRights(pool);
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

// The environment of the migration function: the names of the variables that its stack sets, and their values.
import { requiredVariable } from '../required-variable.ts';

/** The database role of everything except the migration and the live ingest. */
export const serviceRole = 'service';

/** The database role of the live ingest, which reads bytes of strangers: it reaches the tables of takeovers only. */
export const liveIngestRole = 'live_ingest';

export const migrateVariables = ['DATABASE_SECRET_ARN', 'DATABASE_HOST', 'DATABASE_NAME', 'SEALING_KEY_ARN'] as const;

export interface MigrateEnvironment {
  readonly secretARN: string;
  readonly host: string;
  readonly database: string;
  readonly sealingKeyARN: string;
}

/** @throws an error that names the missing variable */
export function readMigrateEnvironment(env: NodeJS.ProcessEnv): MigrateEnvironment {
  const required = (name: (typeof migrateVariables)[number]) => requiredVariable(env, name);
  return {
    secretARN: required('DATABASE_SECRET_ARN'),
    host: required('DATABASE_HOST'),
    database: required('DATABASE_NAME'),
    sealingKeyARN: required('SEALING_KEY_ARN'),
  };
}

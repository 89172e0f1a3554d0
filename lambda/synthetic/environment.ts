// The environment of the function that proves starts: the names that its stack sets, and their values.
import type { DatabaseEnvironment } from '../ports/aws/connect-aws.ts';
import { databaseVariables, readDatabaseEnvironment } from '../ports/aws/environment.ts';
import { requiredVariable } from '../required-variable.ts';

export const syntheticVariables = [...databaseVariables, 'BASE_URL', 'INGEST_BUCKET'] as const;

export interface SyntheticEnvironment extends DatabaseEnvironment {
  /** Origin of the API; `ssm:NAME` where it stands in a parameter. */
  readonly origin: string;
  /** Takes what the stream sends. */
  readonly ingestBucket: string;
}

/** @throws naming the variable that is missing */
export function readSyntheticEnvironment(env: NodeJS.ProcessEnv): SyntheticEnvironment {
  return {
    ...readDatabaseEnvironment(env),
    origin: requiredVariable(env, 'BASE_URL'),
    ingestBucket: requiredVariable(env, 'INGEST_BUCKET'),
  };
}

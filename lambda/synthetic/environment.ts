// The environment of the function that tests starts: the names of its variables for the stack, and their values.
import type { DatabaseEnvironment } from '../ports/aws/environment.ts';
import { databaseVariables, readDatabaseEnvironment } from '../ports/aws/environment.ts';
import { requiredVariable } from '../required-variable.ts';

export const syntheticVariables = [...databaseVariables, 'BASE_URL', 'INGEST_BUCKET'] as const;

export interface SyntheticEnvironment extends DatabaseEnvironment {
  /** From `OriginEnvironment` of ports/aws/public-origin.ts. */
  readonly origin: string;
  /** The bucket that receives the stream. */
  readonly ingestBucket: string;
}

/** @throws an error that names the missing variable */
export function readSyntheticEnvironment(env: NodeJS.ProcessEnv): SyntheticEnvironment {
  return {
    ...readDatabaseEnvironment(env),
    origin: requiredVariable(env, 'BASE_URL'),
    ingestBucket: requiredVariable(env, 'INGEST_BUCKET'),
  };
}

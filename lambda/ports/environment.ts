// What the environment of a function says of the database and its secrets, where it works with nothing else.
import { requiredVariable } from '../required-variable.ts';
import type { AwsCoreEnvironment } from './aws.ts';

export const coreVariables = [
  'DATABASE_HOST',
  'DATABASE_USER',
  'DATABASE_NAME',
  'DATABASE_REGION',
  'SERVICE_SECRET_ARN',
  'SEALING_KEY_ARN',
  'BASE_URL',
] as const;

/** @throws naming the variable that is missing */
export function readCoreEnvironment(env: NodeJS.ProcessEnv): AwsCoreEnvironment {
  const required = (name: (typeof coreVariables)[number]) => requiredVariable(env, name);
  return {
    databaseHost: required('DATABASE_HOST'),
    databaseUser: required('DATABASE_USER'),
    databaseName: required('DATABASE_NAME'),
    databaseRegion: required('DATABASE_REGION'),
    serviceSecretARN: required('SERVICE_SECRET_ARN'),
    sealingKeyARN: required('SEALING_KEY_ARN'),
    origin: required('BASE_URL'),
  };
}

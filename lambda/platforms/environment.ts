// The environment variables of the function behind the queue 'platforms': names for the stack, and their values.
import type { AwsCoreEnvironment } from '../ports/aws/connect-aws.ts';
import { databaseVariables, readDatabaseEnvironment } from '../ports/aws/environment.ts';
import { requiredVariable } from '../required-variable.ts';

export const platformsVariables = [
  ...databaseVariables,
  'SEALING_KEY_ARN',
  'BASE_URL',
  'UPLOADS_BUCKET',
  'PAYMENT_PROVIDERS_SECRET_ARN',
  'YOUTUBE_DAILY_UNITS',
] as const;

export interface PlatformsEnvironment extends Omit<AwsCoreEnvironment, 'serviceSecretARN'> {
  readonly uploadsBucket: string;
  /** Of the secret with the clients of platforms, beside the keys of payment providers. */
  readonly secretARN: string;
  /** What YouTube lets our project use on a day. */
  readonly youtubeDailyUnits: number;
}

/** @throws naming the variable that is missing */
export function readPlatformsEnvironment(env: NodeJS.ProcessEnv): PlatformsEnvironment {
  return {
    ...readDatabaseEnvironment(env),
    sealingKeyARN: requiredVariable(env, 'SEALING_KEY_ARN'),
    origin: requiredVariable(env, 'BASE_URL'),
    uploadsBucket: requiredVariable(env, 'UPLOADS_BUCKET'),
    secretARN: requiredVariable(env, 'PAYMENT_PROVIDERS_SECRET_ARN'),
    youtubeDailyUnits: Number(requiredVariable(env, 'YOUTUBE_DAILY_UNITS')),
  };
}

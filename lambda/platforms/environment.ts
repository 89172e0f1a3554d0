// The environment variables of the function behind the queue 'platforms': their names for the stack, and values.
import { databaseVariables, readDatabaseEnvironment } from '../ports/aws/environment.ts';
import { requiredVariable } from '../required-variable.ts';
import { readSettings, variablesFor } from '../settings.ts';

export const platformsVariables = [
  ...databaseVariables,
  'SEALING_KEY_ARN',
  'BASE_URL',
  'UPLOADS_BUCKET',
  'PAYMENT_PROVIDERS_SECRET_ARN',
  ...variablesFor('platforms'),
] as const;

/** @throws naming the variable that is missing */
export function readPlatformsEnvironment(env: NodeJS.ProcessEnv) {
  return {
    ...readDatabaseEnvironment(env),
    sealingKeyARN: requiredVariable(env, 'SEALING_KEY_ARN'),
    origin: requiredVariable(env, 'BASE_URL'),
    uploadsBucket: requiredVariable(env, 'UPLOADS_BUCKET'),
    /** The secret with the OAuth clients of platforms, which also has the keys of payment providers. */
    secretARN: requiredVariable(env, 'PAYMENT_PROVIDERS_SECRET_ARN'),
    ...readSettings('platforms', env),
  };
}

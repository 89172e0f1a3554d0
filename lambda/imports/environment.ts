// The environment of an import worker in AWS: the names that its stack sets, and their values, parsed once.
import {
  addressVariables,
  databaseVariables,
  queueVariables,
  readAddressEnvironment,
  readDatabaseEnvironment,
  readQueueURLs,
} from '../ports/aws/environment.ts';
import { requiredVariable } from '../required-variable.ts';
import { readSettings, variablesFor } from '../settings.ts';

export const importVariables = [
  ...databaseVariables,
  ...queueVariables,
  'UPLOADS_BUCKET',
  ...addressVariables,
  'IMPORT_RELEASE_PARAMETER',
  'SEALING_KEY_ARN',
  ...variablesFor('importWorker'),
  'ROLE_PRINCIPAL',
] as const;

/** The command of the worker in the publisher's image, below the folder of the agent. */
export const importWorkerCommand = ['node', '/agent/imports/index.mjs'] as const;

/** @throws naming the variable that is missing or malformed */
export function readImportEnvironment(env: NodeJS.ProcessEnv) {
  return {
    ...readDatabaseEnvironment(env),
    uploadsBucket: requiredVariable(env, 'UPLOADS_BUCKET'),
    queueURLs: readQueueURLs(env),
    ...readAddressEnvironment(env),
    ...readSettings('importWorker', env),
    /** KMS key that wraps the data keys of the credentials of sources. */
    sealingKeyARN: requiredVariable(env, 'SEALING_KEY_ARN'),
    /** The principal that users' roles must trust: the account of the stage. */
    rolePrincipal: requiredVariable(env, 'ROLE_PRINCIPAL'),
    /** Name of the parameter with the ARN of the current task definition. */
    releaseParameter: requiredVariable(env, 'IMPORT_RELEASE_PARAMETER'),
  };
}

// The environment of the functions behind the API: the names of their variables for the stack, and parsed values.
import type { AwsEnvironment } from '../ports/aws/connect-aws.ts';
import {
  addressVariables,
  coreVariables,
  queueVariables,
  readAddressEnvironment,
  readCoreEnvironment,
  readQueueURLs,
} from '../ports/aws/environment.ts';
import { requiredVariable } from '../required-variable.ts';
import { readSettings, variablesFor } from '../settings.ts';
import type { SettingsFor } from '../settings.ts';

export const apiVariables = [
  ...coreVariables,
  ...queueVariables,
  ...addressVariables,
  ...variablesFor('api'),
  'UPLOADS_BUCKET',
] as const;

/** The resources of the functions, and the settings of their stage. */
export interface Environment extends AwsEnvironment, SettingsFor<'api'> {
  readonly allowPrivateAddresses: boolean;
}

/** @throws an error that names the missing or malformed variable */
export function readEnvironment(env: NodeJS.ProcessEnv): Environment {
  return {
    ...readCoreEnvironment(env),
    ...readAddressEnvironment(env),
    ...readSettings('api', env),
    uploadsBucket: requiredVariable(env, 'UPLOADS_BUCKET'),
    queueURLs: readQueueURLs(env),
  };
}

/** The additional variables of functions that accept payments. */
export const paymentVariables = ['PAYMENT_PROVIDERS_SECRET_ARN'] as const;

/** @throws an error that names the missing variable */
export function readPaymentEnvironment(env: NodeJS.ProcessEnv): { readonly secretARN: string } {
  return { secretARN: requiredVariable(env, paymentVariables[0]) };
}

// The environment of the functions behind the API: the names that their stack sets, and their values, parsed once.
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

/** What the functions work with: where everything around them is, and what their stage allows. */
export interface Environment extends AwsEnvironment, SettingsFor<'api'> {
  readonly allowPrivateAddresses: boolean;
}

/** @throws naming the variable that is missing or malformed */
export function readEnvironment(env: NodeJS.ProcessEnv): Environment {
  return {
    ...readCoreEnvironment(env),
    ...readAddressEnvironment(env),
    ...readSettings('api', env),
    uploadsBucket: requiredVariable(env, 'UPLOADS_BUCKET'),
    queueURLs: readQueueURLs(env),
  };
}

/** What the functions that take payments work with besides. */
export const paymentVariables = ['PAYMENT_PROVIDERS_SECRET_ARN'] as const;

/** @throws naming the variable that is missing */
export function readPaymentEnvironment(env: NodeJS.ProcessEnv): { readonly secretARN: string } {
  return { secretARN: requiredVariable(env, paymentVariables[0]) };
}

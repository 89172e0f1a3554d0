// The environment of the functions behind the API: the names that their stack sets, and their values, parsed once.
import type { AwsEnvironment } from '../ports/aws/connect-aws.ts';
import {
  coreVariables,
  queueVariables,
  readCoreEnvironment,
  readQueueURLs,
  readStreamingEnvironment,
  streamingVariables,
} from '../ports/aws/environment.ts';
import { requiredVariable } from '../required-variable.ts';

export const apiVariables = [
  ...coreVariables,
  ...queueVariables,
  ...streamingVariables,
  'UPLOADS_BUCKET',
  'RATE_LIMIT_FACTOR',
] as const;

/** What the functions work with: where everything around them is, and what their stage allows. */
export interface Environment extends AwsEnvironment {
  readonly allowPrivateAddresses: boolean;
  readonly legacyRtmpURL: string | null;
  readonly limitFactor: number;
  readonly rateLimitFactor: number;
}

/** @throws naming the variable that is missing or malformed */
export function readEnvironment(env: NodeJS.ProcessEnv): Environment {
  return {
    ...readCoreEnvironment(env),
    ...readStreamingEnvironment(env),
    uploadsBucket: requiredVariable(env, 'UPLOADS_BUCKET'),
    queueURLs: readQueueURLs(env),
    rateLimitFactor: Number(requiredVariable(env, 'RATE_LIMIT_FACTOR')),
  };
}

/** What the functions that take payments work with besides. */
export const paymentVariables = ['PAYMENT_PROVIDERS_SECRET_ARN'] as const;

/** @throws naming the variable that is missing */
export function readPaymentEnvironment(env: NodeJS.ProcessEnv): { readonly secretARN: string } {
  return { secretARN: requiredVariable(env, paymentVariables[0]) };
}

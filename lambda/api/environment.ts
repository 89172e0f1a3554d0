// The environment of the functions behind the API: the names that their stack sets, and their values, parsed once.
import type { AwsEnvironment } from '../ports/aws/connect-aws.ts';
import {
  coreVariables,
  queueVariables,
  readCoreEnvironment,
  readQueueURLs,
  readStorageEnvironment,
  readStreamingEnvironment,
  storageVariables,
  streamingVariables,
} from '../ports/aws/environment.ts';
import { streamBackends } from '../domain/streams/stream-words.ts';
import type { BackendSettings } from '../operations/context.ts';
import type { StorageSettings } from '../orchestration/billing/charge-storage.ts';
import { requiredVariable } from '../required-variable.ts';

export const apiVariables = [
  ...coreVariables,
  ...queueVariables,
  ...streamingVariables,
  ...storageVariables,
  'UPLOADS_BUCKET',
  'RATE_LIMIT_FACTOR',
  'DEFAULT_STREAM_BACKEND',
  'STREAM_BACKEND_EDIT',
] as const;

/** What the functions work with: where everything around them is, and what their stage allows. */
export interface Environment extends AwsEnvironment, BackendSettings, StorageSettings {
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
    ...readStorageEnvironment(env),
    uploadsBucket: requiredVariable(env, 'UPLOADS_BUCKET'),
    queueURLs: readQueueURLs(env),
    rateLimitFactor: Number(requiredVariable(env, 'RATE_LIMIT_FACTOR')),
    defaultStreamBackend: readBackend(requiredVariable(env, 'DEFAULT_STREAM_BACKEND')),
    streamBackendEdit: requiredVariable(env, 'STREAM_BACKEND_EDIT') === 'true',
  };
}

function readBackend(text: string): BackendSettings['defaultStreamBackend'] {
  const backend = streamBackends.find((name) => name === text);
  if (!backend) throw new Error(`DEFAULT_STREAM_BACKEND is none of ${streamBackends.join(', ')}: ${text}`);
  return backend;
}

/** What the functions that take payments work with besides. */
export const paymentVariables = ['PAYMENT_PROVIDERS_SECRET_ARN'] as const;

/** @throws naming the variable that is missing */
export function readPaymentEnvironment(env: NodeJS.ProcessEnv): { readonly secretARN: string } {
  return { secretARN: requiredVariable(env, paymentVariables[0]) };
}

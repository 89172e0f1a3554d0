// The environment of the REST function: the names that its stack sets, and their values, parsed once.
import type { AwsEnvironment } from '../ports/aws.ts';
import { coreVariables, readCoreEnvironment } from '../ports/environment.ts';
import { queueNames } from '../ports/command-queue/queues.ts';
import type { QueueName } from '../ports/command-queue/queues.ts';
import { requiredVariable } from '../required-variable.ts';

export const apiVariables = [
  ...coreVariables,
  'UPLOADS_BUCKET',
  'SITE_URL',
  'ALLOW_PRIVATE_ADDRESSES',
  'QUEUE_URLS',
  'TIMER_GROUP',
  'TIMER_ROLE_ARN',
  'TIMER_QUEUE_ARN',
  'LEGACY_RTMP_URL',
  'RATE_LIMIT_FACTOR',
] as const;

/** What the function works with: where everything around it is, and what its stage allows. */
export interface Environment extends AwsEnvironment {
  readonly allowPrivateAddresses: boolean;
  readonly legacyRtmpURL: string | null;
  readonly rateLimitFactor: number;
}

/** @throws naming the variable that is missing or malformed */
export function readEnvironment(env: NodeJS.ProcessEnv): Environment {
  const required = (name: (typeof apiVariables)[number]) => requiredVariable(env, name);
  const queueURLs = JSON.parse(required('QUEUE_URLS')) as Record<string, string>;
  const unknown = Object.keys(queueURLs).find((name) => !queueNames.includes(name as QueueName));
  if (unknown) throw new Error(`QUEUE_URLS names a queue that does not exist: ${unknown}`);
  return {
    ...readCoreEnvironment(env),
    uploadsBucket: required('UPLOADS_BUCKET'),
    allowPrivateAddresses: required('ALLOW_PRIVATE_ADDRESSES') === 'true',
    queueURLs,
    timerGroup: required('TIMER_GROUP'),
    timerRoleARN: required('TIMER_ROLE_ARN'),
    timerQueueARN: required('TIMER_QUEUE_ARN'),
    legacyRtmpURL: env['LEGACY_RTMP_URL'] || null,
    rateLimitFactor: Number(required('RATE_LIMIT_FACTOR')),
  };
}

/** What the function that takes payments works with besides. */
export const paymentVariables = ['PAYMENT_PROVIDERS_SECRET_ARN'] as const;

/** @throws naming the variable that is missing */
export function readPaymentEnvironment(env: NodeJS.ProcessEnv): { readonly secretARN: string } {
  return { secretARN: requiredVariable(env, paymentVariables[0]) };
}

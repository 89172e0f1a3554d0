// Environment variables about the surroundings of a deployable, in groups that deployables choose from.
import { requiredVariable } from '../../required-variable.ts';
import { queueNames } from '../command-queue/queues.ts';
import type { QueueName } from '../command-queue/queues.ts';

/** Address of the database, and the role to connect as. */
export interface DatabaseEnvironment {
  readonly databaseHost: string;
  readonly databaseUser: string;
  readonly databaseName: string;
  readonly databaseRegion: string;
}

/** Addresses that every function for users needs. */
export interface AwsCoreEnvironment extends DatabaseEnvironment {
  readonly serviceSecretARN: string;
  /** KMS key that wraps the data keys of sealed secrets. */
  readonly sealingKeyARN: string;
  /** From `OriginEnvironment` of public-origin.ts. */
  readonly origin: string;
}

export const databaseVariables = ['DATABASE_HOST', 'DATABASE_USER', 'DATABASE_NAME', 'DATABASE_REGION'] as const;

/** @throws {Error} with the name of the missing variable */
export function readDatabaseEnvironment(env: NodeJS.ProcessEnv): DatabaseEnvironment {
  const required = (name: (typeof databaseVariables)[number]) => requiredVariable(env, name);
  return {
    databaseHost: required('DATABASE_HOST'),
    databaseUser: required('DATABASE_USER'),
    databaseName: required('DATABASE_NAME'),
    databaseRegion: required('DATABASE_REGION'),
  };
}

export const coreVariables = [...databaseVariables, 'SERVICE_SECRET_ARN', 'SEALING_KEY_ARN', 'BASE_URL'] as const;

/** @throws {Error} with the name of the missing variable */
export function readCoreEnvironment(env: NodeJS.ProcessEnv): AwsCoreEnvironment {
  const required = (name: (typeof coreVariables)[number]) => requiredVariable(env, name);
  return {
    ...readDatabaseEnvironment(env),
    serviceSecretARN: required('SERVICE_SECRET_ARN'),
    sealingKeyARN: required('SEALING_KEY_ARN'),
    origin: required('BASE_URL'),
  };
}

/** Whether connections to private addresses are allowed: `true` or `false`. */
export const addressVariables = ['ALLOW_PRIVATE_ADDRESSES'] as const;

/** @throws {Error} with the name of the missing variable */
export function readAddressEnvironment(env: NodeJS.ProcessEnv): { readonly allowPrivateAddresses: boolean } {
  return { allowPrivateAddresses: requiredVariable(env, addressVariables[0]) === 'true' };
}

/** URLs of the queues that a deployable sends to or receives from, and of no others, as JSON by name. */
export const queueVariables = ['QUEUE_URLS'] as const;

/** @throws {Error} if the variable is missing, or names an unknown queue */
export function readQueueURLs(env: NodeJS.ProcessEnv): Partial<Record<QueueName, string>> {
  const queueURLs = JSON.parse(requiredVariable(env, queueVariables[0])) as Record<string, string>;
  const unknown = Object.keys(queueURLs).find((name) => !queueNames.includes(name as QueueName));
  if (unknown) throw new Error(`QUEUE_URLS names a queue that does not exist: ${unknown}`);
  return queueURLs;
}

// The environment of the jobs: each has the variables that it reads, and no other.
import type { StorageSettings } from '../orchestration/billing/charge-storage.ts';
import type { DatabaseEnvironment } from '../ports/aws/connect-aws.ts';
import {
  databaseVariables,
  queueVariables,
  readDatabaseEnvironment,
  readQueueURLs,
  readStorageEnvironment,
  readStreamingEnvironment,
  storageVariables,
  streamingVariables,
} from '../ports/aws/environment.ts';
import type { QueueName } from '../ports/command-queue/queues.ts';
import { requiredVariable } from '../required-variable.ts';

export const reconcileVariables = databaseVariables;
export const timersVariables = [...databaseVariables, ...queueVariables, ...streamingVariables] as const;
export const sweepVariables = [
  ...timersVariables,
  ...storageVariables,
  'TIMER_GROUP',
  'TIMER_ROLE_ARN',
  'TIMER_QUEUE_ARN',
] as const;

/** What a job works with that fires what is due. */
export interface TimersEnvironment extends DatabaseEnvironment {
  readonly queueURLs: Partial<Record<QueueName, string>>;
  readonly allowPrivateAddresses: boolean;
  readonly legacyRtmpURL: string | null;
  readonly limitFactor: number;
}

/** The sweep arms timers and charges storage as well. */
export interface SweepEnvironment extends TimersEnvironment, StorageSettings {
  readonly timerGroup: string;
  readonly timerRoleARN: string;
  readonly timerQueueARN: string;
}

/** @throws naming the variable that is missing or malformed */
export function readTimersEnvironment(env: NodeJS.ProcessEnv): TimersEnvironment {
  return { ...readDatabaseEnvironment(env), ...readStreamingEnvironment(env), queueURLs: readQueueURLs(env) };
}

/** @throws naming the variable that is missing or malformed */
export function readSweepEnvironment(env: NodeJS.ProcessEnv): SweepEnvironment {
  return {
    ...readTimersEnvironment(env),
    ...readStorageEnvironment(env),
    timerGroup: requiredVariable(env, 'TIMER_GROUP'),
    timerRoleARN: requiredVariable(env, 'TIMER_ROLE_ARN'),
    timerQueueARN: requiredVariable(env, 'TIMER_QUEUE_ARN'),
  };
}

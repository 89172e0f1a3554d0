// The environments of the jobs. Each has only the variables that its job reads.
import type { DatabaseEnvironment } from '../ports/aws/environment.ts';
import {
  addressVariables,
  databaseVariables,
  queueVariables,
  readAddressEnvironment,
  readDatabaseEnvironment,
  readQueueURLs,
} from '../ports/aws/environment.ts';
import type { QueueName } from '../ports/command-queue/queues.ts';
import { requiredVariable } from '../required-variable.ts';
import { readSettings, variablesFor } from '../settings.ts';
import type { SettingsFor } from '../settings.ts';
import type { NewAgents } from './first-count.ts';

export const reconcileVariables = databaseVariables;
const jobVariables = [...databaseVariables, ...queueVariables, ...addressVariables] as const;
export const timersVariables = [...jobVariables, ...variablesFor('timersJob')] as const;
export const sweepVariables = [
  ...jobVariables,
  ...variablesFor('sweep'),
  'TIMER_GROUP',
  'TIMER_ROLE_ARN',
  'TIMER_QUEUE_ARN',
] as const;

export const firstCountVariables = ['AGENTS_CLUSTER', 'AGENTS_FAMILY'] as const;

/** The variables of a job that changes streams. */
interface JobEnvironment extends DatabaseEnvironment {
  readonly queueURLs: Partial<Record<QueueName, string>>;
  readonly allowPrivateAddresses: boolean;
}

/** The variables and settings of the job that applies due changes of streams. */
export type TimersEnvironment = JobEnvironment & SettingsFor<'timersJob'>;

/** The variables and settings of the sweep, which also arms timers. */
export interface SweepEnvironment extends JobEnvironment, SettingsFor<'sweep'> {
  readonly timerGroup: string;
  readonly timerRoleARN: string;
  readonly timerQueueARN: string;
}

/** @throws an error that names the missing or malformed variable */
export function readTimersEnvironment(env: NodeJS.ProcessEnv): TimersEnvironment {
  return { ...readJobEnvironment(env), ...readSettings('timersJob', env) };
}

/** @throws an error that names the missing or malformed variable */
export function readSweepEnvironment(env: NodeJS.ProcessEnv): SweepEnvironment {
  return {
    ...readJobEnvironment(env),
    ...readSettings('sweep', env),
    timerGroup: requiredVariable(env, 'TIMER_GROUP'),
    timerRoleARN: requiredVariable(env, 'TIMER_ROLE_ARN'),
    timerQueueARN: requiredVariable(env, 'TIMER_QUEUE_ARN'),
  };
}

/** @throws an error that names the missing variable */
export function readFirstCountEnvironment(env: NodeJS.ProcessEnv): NewAgents {
  return { cluster: requiredVariable(env, 'AGENTS_CLUSTER'), family: requiredVariable(env, 'AGENTS_FAMILY') };
}

function readJobEnvironment(env: NodeJS.ProcessEnv): JobEnvironment {
  return { ...readDatabaseEnvironment(env), ...readAddressEnvironment(env), queueURLs: readQueueURLs(env) };
}

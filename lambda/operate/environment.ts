// The environment of the operators' function: the names of its variables for the stack, and their values.
import type { DatabaseEnvironment } from '../ports/aws/environment.ts';
import { databaseVariables, queueVariables, readDatabaseEnvironment, readQueueURLs } from '../ports/aws/environment.ts';
import type { QueueName } from '../ports/command-queue/queues.ts';
import { requiredVariable } from '../required-variable.ts';

export const operateVariables = [
  ...databaseVariables,
  ...queueVariables,
  'DEAD_LETTER_URLS',
  'OPERATOR_ROLE_ARN',
] as const;

export interface OperateEnvironment extends DatabaseEnvironment {
  readonly queueURLs: Partial<Record<QueueName, string>>;
  readonly deadLetterURLs: Partial<Record<QueueName, string>>;
  readonly operatorRoleARN: string;
}

/** @throws an error that names the missing or malformed variable */
export function readOperateEnvironment(env: NodeJS.ProcessEnv): OperateEnvironment {
  return {
    ...readDatabaseEnvironment(env),
    queueURLs: readQueueURLs(env),
    deadLetterURLs: readQueueURLs({ QUEUE_URLS: requiredVariable(env, 'DEAD_LETTER_URLS') }),
    operatorRoleARN: requiredVariable(env, 'OPERATOR_ROLE_ARN'),
  };
}

// The environment of an import worker in AWS besides that of the API: the names that its stack sets, and their values, parsed once.
import { requiredVariable } from '../required-variable.ts';

export const importVariables = ['IMPORT_RELEASE_PARAMETER'] as const;

/** Where the worker is in the publisher's image, below the folder of the agent. */
export const importWorkerCommand = ['node', '/agent/imports/index.mjs'] as const;

export interface ImportEnvironment {
  /** Name of the parameter with the ARN of the task definition that is current. */
  readonly releaseParameter: string;
}

/** @throws naming the variable that is missing */
export function readImportEnvironment(env: NodeJS.ProcessEnv): ImportEnvironment {
  return { releaseParameter: requiredVariable(env, importVariables[0]) };
}

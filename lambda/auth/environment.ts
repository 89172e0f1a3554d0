// The environment of the identity function: the names that its stack sets, and their values, parsed once.
import type { AwsCoreEnvironment } from '../ports/aws.ts';
import { coreVariables, readCoreEnvironment } from '../ports/environment.ts';
import { requiredVariable } from '../required-variable.ts';

export const authVariables = [...coreVariables, 'MAIL_FROM', 'RATE_LIMIT_FACTOR'] as const;

export interface AuthEnvironment extends AwsCoreEnvironment {
  /** Null: the stage has no address to send mails from. */
  readonly mailFrom: string | null;
  readonly rateLimitFactor: number;
}

/** @throws naming the variable that is missing */
export function readAuthEnvironment(env: NodeJS.ProcessEnv): AuthEnvironment {
  return {
    ...readCoreEnvironment(env),
    mailFrom: env['MAIL_FROM'] || null,
    rateLimitFactor: Number(requiredVariable(env, 'RATE_LIMIT_FACTOR')),
  };
}

// The environment variables of the identity function: the names, which its stack sets, and their values, parsed.
import type { AwsCoreEnvironment } from '../ports/aws/connect-aws.ts';
import { coreVariables, readCoreEnvironment } from '../ports/aws/environment.ts';
import { requiredVariable } from '../required-variable.ts';

export const authVariables = [...coreVariables, 'MAIL_FROM', 'RATE_LIMIT_FACTOR'] as const;

export interface AuthEnvironment extends AwsCoreEnvironment {
  /** Null where the stage has no address to send mails from. */
  readonly mailFrom: string | null;
  readonly rateLimitFactor: number;
}

/** @throws where a variable is missing. The message names it. */
export function readAuthEnvironment(env: NodeJS.ProcessEnv): AuthEnvironment {
  return {
    ...readCoreEnvironment(env),
    mailFrom: env['MAIL_FROM'] || null,
    rateLimitFactor: Number(requiredVariable(env, 'RATE_LIMIT_FACTOR')),
  };
}

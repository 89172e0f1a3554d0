// The environment variables of the identity function: the names, which its stack sets, and their values, parsed.
import type { AwsCoreEnvironment } from '../ports/aws/connect-aws.ts';
import { coreVariables, readCoreEnvironment } from '../ports/aws/environment.ts';
import { readSettings, variablesFor } from '../settings.ts';
import type { SettingsFor } from '../settings.ts';

export const authVariables = [...coreVariables, 'MAIL_FROM', ...variablesFor('auth')] as const;

export interface AuthEnvironment extends AwsCoreEnvironment, SettingsFor<'auth'> {
  /** Null where the stage has no address to send mails from. */
  readonly mailFrom: string | null;
}

/** @throws where a variable is missing. The message names it. */
export function readAuthEnvironment(env: NodeJS.ProcessEnv): AuthEnvironment {
  return {
    ...readCoreEnvironment(env),
    mailFrom: env['MAIL_FROM'] || null,
    ...readSettings('auth', env),
  };
}

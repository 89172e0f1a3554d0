// The environment variables of the identity function: their names for its stack, and their parsed values.
import type { AwsCoreEnvironment } from '../ports/aws/environment.ts';
import { readMailEnvironment, signInMailVariables } from '../ports/mailer/mail-environment.ts';
import type { MailEnvironment } from '../ports/mailer/mail-environment.ts';
import { coreVariables, readCoreEnvironment } from '../ports/aws/environment.ts';
import { readSettings, variablesFor } from '../settings.ts';
import type { SettingsFor } from '../settings.ts';

export const authVariables = [...coreVariables, ...signInMailVariables, ...variablesFor('auth')] as const;

export interface AuthEnvironment extends AwsCoreEnvironment, MailEnvironment, SettingsFor<'auth'> {}

/** @throws an error that names the missing variable */
export function readAuthEnvironment(env: NodeJS.ProcessEnv): AuthEnvironment {
  return {
    ...readCoreEnvironment(env),
    ...readMailEnvironment(env),
    ...readSettings('auth', env),
  };
}

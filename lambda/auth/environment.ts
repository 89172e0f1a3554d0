// The environment variables of the identity function: their names for its stack, and their parsed values.
import type { AwsCoreEnvironment } from '../ports/aws/environment.ts';
import { coreVariables, readCoreEnvironment } from '../ports/aws/environment.ts';
import { readSettings, variablesFor } from '../settings.ts';
import type { SettingsFor } from '../settings.ts';

export const authVariables = [...coreVariables, 'MAIL_FROM', 'UNCONFIRMED_MAILS', ...variablesFor('auth')] as const;

export interface AuthEnvironment extends AwsCoreEnvironment, SettingsFor<'auth'> {
  /** Null if the stage has no address to send mails from. */
  readonly mailFrom: string | null;
  /** The SES configuration set of mails to addresses that are not confirmed; null if the stage sends no mails. */
  readonly unconfirmedMails: string | null;
}

/** @throws an error that names the missing variable */
export function readAuthEnvironment(env: NodeJS.ProcessEnv): AuthEnvironment {
  return {
    ...readCoreEnvironment(env),
    mailFrom: env['MAIL_FROM'] || null,
    unconfirmedMails: env['UNCONFIRMED_MAILS'] || null,
    ...readSettings('auth', env),
  };
}

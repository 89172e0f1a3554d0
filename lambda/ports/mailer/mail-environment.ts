// The environment variables of functions that send mails: their names for stacks, and their values.
import type { PausableMailSets } from './ses-mailer.ts';

/** The configuration sets of mails that SES can pause, each by its variable. */
const setVariables = { unfunded: 'UNFUNDED_MAILS', unconfirmed: 'UNCONFIRMED_MAILS' } as const;

/** The variables of a function that mails users with a confirmed address only. */
export const mailVariables = ['MAIL_FROM', setVariables.unfunded] as const;
/** The variables of a function that mails other addresses too. */
export const signInMailVariables = [...mailVariables, setVariables.unconfirmed] as const;

export interface MailEnvironment {
  /** Null if the stage has no address to send mails from. */
  readonly mailFrom: string | null;
  readonly mailSets: PausableMailSets;
}

/** A stage without an address has no configuration sets. */
export function readMailEnvironment(env: NodeJS.ProcessEnv): MailEnvironment {
  const named = Object.entries(setVariables).flatMap(([receiver, name]) => (env[name] ? [[receiver, env[name]]] : []));
  return { mailFrom: env['MAIL_FROM'] || null, mailSets: Object.fromEntries(named) };
}

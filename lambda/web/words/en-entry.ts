// The words that each page needs at once: its name, titles of sign-in pages, and failures of requests.
import type { SignInPath } from '../paths.ts';

export const entryWords = {
  product: 'Loop streaming',
  titles: {
    '/sign-in': 'Sign in',
    '/sign-up': 'Sign up',
    '/forgotten-password': 'Forgotten password',
    '/new-password': 'New password',
    '/consent': 'Connect an application',
    '/device': 'Connect a device',
    '/error': 'Not possible',
  } satisfies Record<SignInPath, string>,
  nowhere: 'There is nothing here',
  nowhereText: 'The address has a mistake, or its content was deleted.',
  toFirst: 'Go to the first page',
  noAnswer: 'The platform does not answer. Try again in a moment.',
  tooMany: 'Too many attempts. Wait a minute, then try again.',
  requestFailed: 'The request failed. Try again in a moment.',
  failed: 'That did not work. Try again in a moment.',
  refusals: {
    INVALID_EMAIL_OR_PASSWORD: 'The address or the password is wrong.',
    EMAIL_NOT_VERIFIED: 'Your address is not confirmed yet. We send another mail with a link, up to three an hour.',
    INVALID_PASSWORD: 'The password is wrong.',
    INVALID_EMAIL: 'This is not an e-mail address.',
    PASSWORD_TOO_SHORT: 'The password has to have 10 characters at least.',
    PASSWORD_TOO_LONG: 'The password may have 128 characters at most.',
    INVALID_TOKEN: 'This link has been used already, or is too old. Ask for another.',
    UNKNOWN_CODE: 'There is no such code, or it is older than ten minutes, or used.',
    ACCOUNT_DISABLED: 'This account is disabled. Ask the operator of the platform.',
  } as Readonly<Record<string, string>>,
} as const;

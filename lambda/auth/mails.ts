// The mails that people get about their account.
import type { Mail } from '../ports/mailer/mailer.ts';

export function verificationMail(to: string, url: string): Mail {
  return {
    to,
    subject: 'Confirm your e-mail address',
    text: `Open this link to confirm your address and sign in. It is good for one hour.\n\n${url}\n\nIf you did not sign up, do nothing.`,
  };
}

export function passwordResetMail(to: string, url: string): Mail {
  return {
    to,
    subject: 'Choose a new password',
    text: `Open this link to choose a new password. It is good for one hour, once.\n\n${url}\n\nIf you did not ask for it, do nothing: your password stays.`,
  };
}

/** To somebody who has an account, when their address was used to sign up. */
export function signUpAgainMail(to: string, signInURL: string): Mail {
  return {
    to,
    subject: 'You have an account already',
    text: `Somebody, perhaps you, signed up with this address. You have an account: sign in, or choose a new password there.\n\n${signInURL}\n\nIf it was not you, do nothing.`,
  };
}

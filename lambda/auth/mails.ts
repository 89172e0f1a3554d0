// The mails that users get about their accounts.
import type { Mail } from '../ports/mailer/mailer.ts';

export function verificationMail(to: string, url: string): Mail {
  return {
    to,
    subject: 'Confirm your e-mail address',
    text: paragraphs(
      'Open this link to confirm your address and sign in. It is good for one hour.',
      url,
      'If you did not sign up, do nothing.',
    ),
  };
}

export function passwordResetMail(to: string, url: string): Mail {
  return {
    to,
    subject: 'Choose a new password',
    text: paragraphs(
      'Open this link to choose a new password. It is good for one hour, once.',
      url,
      'If you did not ask for it, do nothing: your password stays.',
    ),
  };
}

/** The mail to an existing user whose address was used to sign up again. */
export function signUpAgainMail(to: string, signInURL: string): Mail {
  return {
    to,
    subject: 'You have an account already',
    text: paragraphs(
      'Somebody, perhaps you, signed up with this address. ' +
        'You have an account: sign in, or choose a new password there.',
      signInURL,
      'If it was not you, do nothing.',
    ),
  };
}

function paragraphs(...texts: readonly string[]): string {
  return texts.join('\n\n');
}

// The mails that users get about their accounts.
import { composeMail } from '../ports/mailer/compose-mail.ts';
import type { ComposedMail } from '../ports/mailer/mailer.ts';

export function verificationMail(to: string, url: string): ComposedMail {
  return accountMail(to, {
    subject: 'Confirm your e-mail address',
    text: 'Open this link to confirm your address and sign in. It is good for one hour.',
    button: { label: 'Confirm address', url },
    closing: 'If you did not sign up, do nothing.',
  });
}

export function passwordResetMail(to: string, url: string): ComposedMail {
  return accountMail(to, {
    subject: 'Choose a new password',
    text: 'Open this link to choose a new password. It is good for one hour, once.',
    button: { label: 'Choose a password', url },
    closing: 'If you did not ask for it, do nothing: your password stays.',
  });
}

/** The mail to an existing user whose address was used to sign up again. */
export function signUpAgainMail(to: string, signInURL: string): ComposedMail {
  return accountMail(to, {
    subject: 'You have an account already',
    text:
      'Somebody, perhaps you, signed up with this address. ' +
      'You have an account: sign in, or choose a new password there.',
    button: { label: 'Sign in', url: signInURL },
    closing: 'If it was not you, do nothing.',
  });
}

interface AccountLetter {
  readonly subject: string;
  readonly text: string;
  readonly button: { readonly label: string; readonly url: string };
  readonly closing: string;
}

function accountMail(to: string, { text, ...letter }: AccountLetter): ComposedMail {
  const { origin, host } = new URL(letter.button.url);
  const reason = `You have this mail because your address was entered at ${host}.`;
  return composeMail({ ...letter, to, parts: [text], showsAddress: true, reason, siteURL: origin });
}

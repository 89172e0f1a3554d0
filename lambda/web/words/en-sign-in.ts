// The words of the sign-in pages. They load with these pages.

export const signInWords = {
  email: 'E-mail address',
  password: 'Password',
  signIn: 'Sign in',
  signUp: 'Sign up',
  signInInstead: 'Sign in instead',
  forgotten: 'Forgotten password?',
  oldLink:
    'The link has been used already, or is too old. Sign in: if your address is not confirmed yet, that sends you ' +
    'another.',
  confirm: 'Sign in with the password that you signed up with, to confirm your address.',
  asked: 'An application asks for access to your account. Sign in to see what it wants.',

  lookIntoMail: 'Look into your mail',
  /** The address stands between both. */
  mailed: { before: 'We have sent a mail to', after: '. Its link confirms the address and signs you in.' },
  keptMails: 'This machine sends no mails. The terminal of `npm start` names the file of each one.',
  noMail:
    'Nothing there after some minutes? Look among the unwanted mail, or sign in: ' +
    'that sends another one, up to three an hour.',
  name: 'Name',
  passwordHint: '10 characters or more. A few words are good.',

  forgottenTitle: 'Forgotten password',
  sendLink: 'Send me a link',
  /** The address stands between both. */
  linkMailed: {
    before: 'If there is an account for',
    after: ', we have sent a mail with a link to choose a new password.',
  },

  deadLink: 'This link does not work',
  deadLinkText: 'It has been used already, or is too old.',
  another: 'Ask for another',
  choosePassword: 'Choose a new password',
  changePassword: 'Change password',
  newPassword: 'New password',
  newPasswordHint: '10 characters or more. You will be signed out everywhere.',

  incomplete: 'This request is not complete',
  beginAgain: 'Go back to the application, and begin there again.',
  connect: 'Connect an application',
  connectAsk: (name: string) => `Connect ${name}?`,
  nameless: 'An application without a name',
  /** The name of the application stands before both, and its address between them. */
  asks: { before: 'asks to act for you. It will be sent back to', after: '.' },
  anybody: 'An application may choose any name. Agree only if you have just begun this yourself, there.',
  could: 'It could',
  agree: 'Agree',
  refuse: 'Refuse',
  you: (email: string) => `You are ${email}.`,
  notYou: 'Somebody else?',
  thisComputer: 'a program on this computer',
  program: (protocol: string) => `a program that answers to ${protocol}`,

  cannotContinue: 'This cannot continue',
  faulty: 'Something in the request of the application is wrong.',
  faultyText: 'Go back to the application, and begin there again. If it happens again, its makers have to mend it.',
  faults: {
    invalid_client: 'The application is not registered here, or not any more.',
    invalid_redirect: 'The application wants you sent to an address that it has not registered.',
    client_disabled: 'The application is disabled.',
  } as Readonly<Record<string, string>>,
} as const;

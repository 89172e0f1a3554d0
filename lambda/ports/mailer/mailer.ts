// Sends mails to users: through SES in AWS, into a folder on one machine.

/** Carries a mail's reference. SES makes the Message-ID itself, anew for each sending. */
export const referenceHeader = 'X-Reference';

export interface Mail {
  /** One address. */
  readonly to: string;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
  /** The same where the same mail is sent once more, as after a crash; for whoever has to tell two of them apart. */
  readonly reference?: string;
}

export interface Mailer {
  /** @throws when the mail could not be handed over */
  send(mail: Mail): Promise<void>;
}

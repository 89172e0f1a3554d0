// Sends mails to users: through SES in AWS, into a folder on one machine.

/**
 * The header with the reference of a mail. The Message-ID cannot hold it, since SES makes a new one at each sending.
 */
export const referenceHeader = 'X-Reference';

export interface Mail {
  /** One address. */
  readonly to: string;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
  /** The same mail, sent again after a crash, has the same reference, so that one can tell it from another mail. */
  readonly reference?: string;
}

export interface Mailer {
  /** @throws when the mail could not be handed over */
  send(mail: Mail): Promise<void>;
}

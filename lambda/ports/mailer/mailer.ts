// Sends mails to users: through SES in AWS, into a folder on one machine.

export interface Mail {
  /** One address. */
  readonly to: string;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
}

export interface Mailer {
  /** @throws when the mail could not be handed over */
  send(mail: Mail): Promise<void>;
}

// Port of mails to users: SES in AWS, a folder on one machine.

/** Header with the reference of a mail. SES makes a new Message-ID at each sending, so that cannot hold it. */
export const referenceHeader = 'X-Reference';

export interface Mail {
  /** One address. */
  readonly to: string;
  /** Text of users may be in it: adapters send it as one line. */
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
  /** Constant for a mail that is sent again after a crash, which distinguishes it from another mail. */
  readonly reference?: string;
}

export interface Mailer {
  /** @throws {Error} if the mail could not be handed over */
  send(mail: Mail): Promise<void>;
}

/** The subject without line breaks and other control characters, which headers may not have. */
export function subjectLine({ subject }: Mail): string {
  return subject.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
}

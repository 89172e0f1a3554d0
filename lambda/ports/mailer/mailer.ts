// Port of mails to users: SES in AWS, a folder on one machine.
import { oneLine, shortened } from '../../domain/shared/one-line.ts';

/** Header with the reference of a mail. SES makes a new Message-ID at each sending, so that cannot hold it. */
export const referenceHeader = 'X-Reference';

export interface Mail {
  /** One address. */
  readonly to: string;
  /** Text of users may be in it: adapters send it as one line. */
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
  /** The words of the plain text as a document of HTML. */
  readonly html: string;
  /** Constant for a mail that is sent again after a crash, which distinguishes it from another mail. */
  readonly reference?: string;
  /** False: its owner has not confirmed the address, so the mail may bounce. @default true */
  readonly isConfirmed?: boolean;
}

export interface Mailer {
  /** @throws {Error} if the mail could not be handed over */
  send(mail: Mail): Promise<void>;
}

/** The maximum length of a subject; clients show some 70 characters. */
const longestSubject = 250;

/** The subject without line breaks and other control characters, which headers may not have. */
export function subjectLine({ subject }: Pick<Mail, 'subject'>): string {
  return shortened(oneLine(subject), longestSubject);
}

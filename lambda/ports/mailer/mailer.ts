// Port of mails to users: SES in AWS, a folder on one machine.
import { oneLine, shortened } from '../../domain/shared/one-line.ts';

/** Header with the reference of a mail. SES makes a new Message-ID at each sending, so that cannot hold it. */
export const referenceHeader = 'X-Reference';

/**
 * The receivers of mails. Each has confirmed the address, or is `unconfirmed`. SES can pause the mails to all but
 * `funded` ones, who have paid. Decisions D281 and D289.
 */
export type Receiver = 'funded' | 'unfunded' | 'unconfirmed';

/** A mail whose receiver may not be known yet. */
export interface ComposedMail {
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
}

export interface Mail extends ComposedMail {
  readonly receiver: Receiver;
}

/** Mails to such receivers are paused, because too many came back or were called spam. */
export class MailsPaused extends Error {
  override readonly name = 'MailsPaused';
}

export interface Mailer {
  /**
   * @throws {MailsPaused} if mails to such receivers are paused now
   * @throws {Error} if the mail could not be handed over
   */
  send(mail: Mail): Promise<void>;
}

/** The maximum length of a subject; clients show some 70 characters. */
const longestSubject = 250;

/** The subject without line breaks and other control characters, which headers may not have. */
export function subjectLine({ subject }: Pick<ComposedMail, 'subject'>): string {
  return shortened(oneLine(subject), longestSubject);
}

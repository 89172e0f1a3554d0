// Mails from the parts of a message: as plain text, and as HTML with one button. Decision D275.
import { partsToShow, textOf } from '../../domain/notices/message.ts';
import type { MessagePart } from '../../domain/notices/message.ts';
import { mailPage } from './mail-page.ts';
import type { MailLink, MailPage } from './mail-page.ts';
import { subjectLine } from './mailer.ts';
import type { ComposedMail } from './mailer.ts';

export interface Letter extends Pick<MailPage, 'reason' | 'siteURL'> {
  readonly to: string;
  readonly subject: string;
  readonly parts: readonly MessagePart[];
  /** The one thing to do. */
  readonly button: MailLink;
  /** Whether the address of the button is shown too, to be opened in another browser. */
  readonly showsAddress?: boolean;
  /** The text below the button. */
  readonly closing?: string;
  /** The page that ends or changes these mails. */
  readonly settings?: MailLink;
  readonly reference?: string;
}

/** The mail of a letter, whose HTML is less than the 102 KB after which Gmail cuts. */
export function composeMail(letter: Letter): ComposedMail {
  const { to, parts, button, siteURL, reference } = letter;
  const { showsAddress = false, closing = '', settings = null } = letter;
  const subject = subjectLine(letter);
  const reason = textOf([letter.reason]);
  const shown = partsToShow(parts);
  const text = [
    textOf(parts),
    `${button.label}:\n${button.url}`,
    closing,
    settings === null ? reason : `${reason} ${settings.label}: ${settings.url}`,
  ];
  return {
    to,
    subject,
    text: text.filter((part) => part !== '').join('\n\n'),
    html: mailPage({ subject, parts: shown, button, showsAddress, closing, reason, settings, siteURL }),
    ...(reference === undefined ? {} : { reference }),
  };
}

// A hint below the text that a mail was sent: a run on one machine keeps its mails in files.
import type { ReactNode } from 'react';
import { signInWords as words } from '#words/sign-in.ts';

/** The site of a run on one machine answers to this name only. */
const localHost = '127.0.0.1';

/** @param otherwise the hint for a site that sends mails; none by default */
export function MailHint({ otherwise }: { readonly otherwise?: string }): ReactNode {
  const text = location.hostname === localHost ? words.keptMails : otherwise;
  return text === undefined ? null : <p className="hint">{text}</p>;
}

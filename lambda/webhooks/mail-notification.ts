// Mails users what they have to be told.
import type { Pool } from 'pg';
import { inTransaction } from '../data/database.ts';
import { notificationWords } from '../domain/notices/notification-words.ts';
import type { Log } from '../log.ts';
import type { Mailer } from '../ports/mailer/mailer.ts';

export interface MailOptions {
  readonly pool: Pool;
  /** Null where a stage has no address to send mails from: nobody is mailed then. */
  readonly mailer: Mailer | null;
  /** The address of the page where users sign in. */
  readonly siteURL: string;
  readonly log: Log;
}

/**
 * Sends the mail of a notification. It is handed over within the transaction that notes its sending: no mail is left
 * out, and where that transaction fails, the mail is sent once more, with the same reference.
 * @throws when the mail could not be handed over
 */
export async function mailNotification(
  { pool, mailer, siteURL, log }: MailOptions,
  notificationID: number,
): Promise<void> {
  await inTransaction(pool, async (data) => {
    const notification = await data.notifications.lockUnsent(notificationID);
    if (!notification) return;
    const { id, kind, email, detail } = notification;
    if (mailer === null) {
      log('mail_not_sent', { notificationID: id, kind, reason: 'this stage has no address to send mails from' });
      return data.notifications.shelve(id);
    }
    const { subject, text } = notificationWords(kind, detail);
    await mailer.send({ to: email, reference: `notification-${id}`, subject, text: `${text}\n\n${siteURL}` });
    return data.notifications.markSent(id);
  });
}

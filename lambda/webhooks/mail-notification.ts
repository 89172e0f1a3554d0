// Mails a user what they have to be told.
import type { Pool } from 'pg';
import { inTransaction } from '../data/database.ts';
import type { Log } from '../log.ts';
import type { Mailer } from '../ports/mailer/mailer.ts';
import { notificationMail } from './notification-mails.ts';

export interface MailParts {
  readonly pool: Pool;
  /** Null where a stage has no address to send mails from: nobody is mailed then. */
  readonly mailer: Mailer | null;
  /** Where users sign in. */
  readonly siteURL: string;
  readonly log: Log;
}

/**
 * The mail is handed over within the transaction that notes it: one that is lost in between is sent again, with the same reference, and
 * none is left out.
 * @throws when it could not be handed over
 */
export async function mailNotification(
  { pool, mailer, siteURL, log }: MailParts,
  notificationID: number,
): Promise<void> {
  await inTransaction(pool, async (data) => {
    const notification = await data.notifications.takeUnsent(notificationID);
    if (!notification) return;
    const { id, kind, email, detail } = notification;
    if (mailer === null) {
      log('mail_not_sent', { notificationID: id, kind, reason: 'this stage has no address to send mails from' });
      return data.notifications.shelve(id);
    }
    await mailer.send({ to: email, reference: `notification-${id}`, ...notificationMail(kind, detail, siteURL) });
    return data.notifications.markSent(id);
  });
}

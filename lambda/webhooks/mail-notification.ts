// Mails notifications to users.
import type { Pool } from 'pg';
import { inTransaction } from '../data/database.ts';
import { notificationWords } from '../domain/notices/notification-words.ts';
import { bounds } from '../domain/shared/bounds.ts';
import type { Log } from '../log.ts';
import { countNotificationMail } from '../orchestration/notices/count-mails.ts';
import { composeMail } from '../ports/mailer/compose-mail.ts';
import type { Mailer } from '../ports/mailer/mailer.ts';
import { buttonOfNotification } from './mail-buttons.ts';

export interface MailOptions {
  readonly pool: Pool;
  /** Null if the stage has no address to send mails from; then no mail is sent. */
  readonly mailer: Mailer | null;
  /** The URL of the page where users sign in. */
  readonly siteURL: string;
  readonly log: Log;
}

/**
 * Sends the mail of a notification within the transaction that records it. So no mail is lost; if the transaction
 * fails, the mail is sent again with the same reference. Beyond the mails of a day, a notification is only on the page.
 * @throws if the mailer did not accept the mail
 */
export async function mailNotification(
  { pool, mailer, siteURL, log }: MailOptions,
  notificationID: number,
): Promise<void> {
  await inTransaction(pool, async (data) => {
    const notification = await data.notifications.lockUnsent(notificationID);
    if (!notification) return;
    const { id, user_id: userID, kind, email, detail } = notification;
    await data.notifications.keepLatest(userID, bounds.keptNotificationsPerUser);
    const shelve = (reason: string) => {
      log('mail_not_sent', { notificationID: id, kind, reason });
      return data.notifications.shelve(id);
    };
    if (mailer === null) return shelve('this stage has no address to send mails from');
    if (!(await countNotificationMail(data, userID))) return shelve('the user has been mailed enough within a day');
    const mail = composeMail({
      ...notificationWords(kind, detail),
      to: email,
      button: buttonOfNotification(siteURL, kind, detail),
      reason: `You have this mail because you have an account at ${new URL(siteURL).host}.`,
      siteURL,
      reference: `notification-${id}`,
    });
    await mailer.send(mail);
    return data.notifications.markSent(id);
  });
}

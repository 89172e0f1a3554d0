// Mails notifications to users.
import type { Pool } from 'pg';
import { databaseOn, inTransaction } from '../data/database.ts';
import type { Database } from '../data/database.ts';
import { notificationWords } from '../domain/notices/notification-words.ts';
import { bounds } from '../domain/shared/bounds.ts';
import type { Log } from '../log.ts';
import {
  countNotificationMail,
  countUnfundedNotice,
  mailedUser,
  uncountUnfundedNotice,
} from '../orchestration/notices/count-mails.ts';
import type { MailedUser } from '../orchestration/notices/count-mails.ts';
import { composeMail } from '../ports/mailer/compose-mail.ts';
import { MailsPaused } from '../ports/mailer/mailer.ts';
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
export async function mailNotification(options: MailOptions, notificationID: number): Promise<void> {
  const { pool, mailer } = options;
  const data = databaseOn(pool);
  const userID = await data.notifications.userOfUnsent(notificationID);
  if (userID === null) return;
  const to = await mailedUser(data, userID);
  // The count is one of all users, so it is no part of the transaction, which lasts until the mail is handed over.
  const isCounted = mailer !== null && (await countUnfundedNotice(data, to)) === 0;
  let isSent = false;
  try {
    isSent = await inTransaction(pool, (data) => mailOnce(options, data, notificationID, { ...to, isCounted }));
  } finally {
    if (isCounted && !isSent) await uncountUnfundedNotice(data, to);
  }
}

/**
 * @param to `isCounted` is false if its user may not be mailed now, as no user without a purchase may be
 * @returns whether the mail was sent
 */
async function mailOnce(
  { mailer, siteURL, log }: MailOptions,
  data: Database,
  notificationID: number,
  { userID, isFunded, isCounted }: MailedUser & { readonly isCounted: boolean },
): Promise<boolean> {
  const notification = await data.notifications.lockUnsent(notificationID);
  if (!notification) return false;
  const { id, kind, email, detail } = notification;
  await data.notifications.keepLatest(userID, bounds.keptNotificationsPerUser);
  const shelve = async (reason: string) => {
    log('mail_not_sent', { notificationID: id, kind, reason });
    await data.notifications.shelve(id);
    return false;
  };
  if (mailer === null) return shelve('this stage has no address to send mails from');
  if (!isCounted) return shelve('users without a purchase have been mailed enough');
  if (!(await countNotificationMail(data, userID))) return shelve('the user has been mailed enough within a day');
  const mail = composeMail({
    ...notificationWords(kind, detail),
    to: email,
    button: buttonOfNotification(siteURL, kind, detail),
    reason: `You have this mail because you have an account at ${new URL(siteURL).host}.`,
    siteURL,
    reference: `notification-${id}`,
  });
  try {
    await mailer.send({ ...mail, receiver: isFunded ? 'funded' : 'unfunded' });
  } catch (error) {
    if (error instanceof MailsPaused) return shelve(error.message);
    throw error;
  }
  await data.notifications.markSent(id);
  return true;
}

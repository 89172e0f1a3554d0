// Counts the mails to users, and decides whether one more may be sent. Decisions D269 and D272.
import type { Database } from '../../data/database.ts';
import { subjectOfUser } from '../../data/shared/request-windows.ts';
import { bounds } from '../../domain/shared/bounds.ts';

const hourSeconds = 3600;
const daySeconds = 24 * hourSeconds;

/** Counts the mail of a notification. @returns whether it may be sent */
export async function countNotificationMail({ requestWindows }: Database, userID: string): Promise<boolean> {
  const day = await requestWindows.count(subjectOfUser(userID), 'notification_mail', 1, daySeconds);
  return day.requests <= bounds.notificationMailsPerDay;
}

/** Counts a mail of alerts. @returns 0 if it may be sent, else the seconds until one may be */
export async function countAlertMail({ requestWindows }: Database, userID: string): Promise<number> {
  const subject = subjectOfUser(userID);
  const day = await requestWindows.count(subject, 'alert_mail', 1, daySeconds);
  if (day.requests <= bounds.alertMailsPerDay) return 0;
  const hour = await requestWindows.count(subject, 'late_alert_mail', 1, hourSeconds);
  return hour.requests <= 1 ? 0 : hour.reset_seconds;
}

/** Counts a test of an alert channel by mail. @returns 0 if it may be sent, else the seconds until one may be */
export async function countTestMail({ requestWindows }: Database, userID: string): Promise<number> {
  const subject = subjectOfUser(userID);
  const hour = await requestWindows.count(subject, 'test_mail', 1, hourSeconds);
  if (hour.requests > bounds.testMailsPerHour) return hour.reset_seconds;
  const day = await requestWindows.count(subject, 'alert_mail', 1, daySeconds);
  return day.requests <= bounds.alertMailsPerDay ? 0 : day.reset_seconds;
}

/**
 * Counts a request that causes a mail of sign-in, or would if its address were known.
 * @param network names the network of the client
 * @param factor multiplies the limits
 * @returns whether the mail may be sent
 */
export function countMailOfNetwork(data: Database, network: string, factor: number): Promise<boolean> {
  return countSignInMail(data, `network ${network}`, bounds.signInMailsOfNetwork, factor);
}

/**
 * Counts a mail of sign-in to an inbox.
 * @param inbox names the inbox
 * @param isNeeded whether the mail lets a user with a confirmed address choose a new password
 * @returns whether it may be sent
 */
export async function countMailToInbox(
  data: Database,
  { inbox, isNeeded, factor }: { readonly inbox: string; readonly isNeeded: boolean; readonly factor: number },
): Promise<boolean> {
  const subject = `inbox ${inbox}`;
  if (await countSignInMail(data, subject, bounds.signInMailsToInbox, factor)) return true;
  if (!isNeeded) return false;
  return (await data.requestWindows.count(subject, 'late_sign_in_mail', 1, hourSeconds)).requests <= 1;
}

/** Counts within the day only those that the hour allows. */
async function countSignInMail(
  { requestWindows }: Database,
  subject: string,
  { perHour, perDay }: { readonly perHour: number; readonly perDay: number },
  factor: number,
): Promise<boolean> {
  const hour = await requestWindows.count(subject, 'sign_in_mail_of_hour', 1, hourSeconds);
  if (hour.requests > perHour * factor) return false;
  const day = await requestWindows.count(subject, 'sign_in_mail_of_day', 1, daySeconds);
  return day.requests <= perDay * factor;
}

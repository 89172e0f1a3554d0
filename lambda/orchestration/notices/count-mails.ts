// Counts the mails to a user that are not of sign-in, and decides whether one more may be sent. Decision D269.
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

// Counts the mails to users, and decides whether one more may be sent. Decisions D269, D272 and D289.
import type { Database } from '../../data/database.ts';
import { unfundedUsers } from '../../data/shared/funded.ts';
import { subjectOfUser } from '../../data/shared/request-windows.ts';
import type { RequestWindow } from '../../data/shared/request-windows.ts';
import { bounds } from '../../domain/shared/bounds.ts';
import { countWithin } from '../shared/hour-and-day.ts';
import type { HourAndDay } from '../shared/hour-and-day.ts';

const hourSeconds = 3600;
const daySeconds = 24 * hourSeconds;

/** A user who is mailed. */
export interface MailedUser {
  readonly userID: string;
  /** Whether the user has a purchase, or credits from an operator. */
  readonly isFunded: boolean;
}

/** @throws {Error} if the database fails */
export async function mailedUser({ users }: Database, userID: string): Promise<MailedUser> {
  return { userID, isFunded: await users.isFunded(userID) };
}

/** Counts the mail of a notification among those of its user. @returns whether it may be sent */
export async function countNotificationMail({ requestWindows }: Database, userID: string): Promise<boolean> {
  const day = await requestWindows.count(subjectOfUser(userID), 'notification_mail', 1, daySeconds);
  return day.requests <= bounds.notificationMailsPerDay;
}

/** Counts a mail of alerts. @returns 0 if it may be sent, else the seconds until one may be */
export async function countAlertMail(data: Database, to: MailedUser): Promise<number> {
  const seconds = await countUnfundedNotice(data, to);
  if (seconds > 0) return seconds;
  const { requestWindows } = data;
  const subject = subjectOfUser(to.userID);
  const day = await requestWindows.count(subject, 'alert_mail', 1, daySeconds);
  if (day.requests <= bounds.alertMailsPerDay) return 0;
  const hour = await requestWindows.count(subject, 'late_alert_mail', 1, hourSeconds);
  return hour.requests <= 1 ? 0 : hour.reset_seconds;
}

/** The limit that keeps a mail from being sent now. */
export interface MailLimit {
  /** Whether it is one of users who are not funded. */
  readonly isOfUnfunded: boolean;
  /** Seconds until one may be sent. */
  readonly seconds: number;
}

/** Counts a test of an alert channel by mail. @returns null if it may be sent */
export async function countTestMail(data: Database, to: MailedUser): Promise<MailLimit | null> {
  const { requestWindows } = data;
  const subject = subjectOfUser(to.userID);
  const hour = await requestWindows.count(subject, 'test_mail', 1, hourSeconds);
  if (hour.requests > bounds.testMailsPerHour) return { isOfUnfunded: false, seconds: hour.reset_seconds };
  const seconds = await countUnfundedNotice(data, to);
  if (seconds > 0) return { isOfUnfunded: true, seconds };
  const day = await requestWindows.count(subject, 'alert_mail', 1, daySeconds);
  return day.requests <= bounds.alertMailsPerDay ? null : { isOfUnfunded: false, seconds: day.reset_seconds };
}

const unfundedOfHour = 'unfunded_notice_of_hour';
const unfundedOfDay = 'unfunded_notice_of_day';

/**
 * Counts a mail to a user who is not funded, among those to the user and to all such users.
 * @returns 0 if it may be sent, as to any user who is funded, else the seconds until one may be
 */
export async function countUnfundedNotice(
  { requestWindows }: Database,
  { userID, isFunded }: MailedUser,
): Promise<number> {
  if (isFunded) return 0;
  const { ofUserPerDay, perHour, perDay } = bounds.unfundedNoticeMails;
  const ofUser = (count: number) => requestWindows.count(subjectOfUser(userID), unfundedOfDay, count, daySeconds);
  const own = await ofUser(1);
  // One that is refused must not use up what the user may be sent: alerts ask again.
  const refused = async ({ reset_seconds: seconds }: RequestWindow) => {
    await ofUser(-1);
    return seconds;
  };
  if (own.requests > ofUserPerDay) return refused(own);
  const hour = await requestWindows.count(unfundedUsers, unfundedOfHour, 1, hourSeconds);
  if (hour.requests > perHour) return refused(hour);
  const day = await requestWindows.count(unfundedUsers, unfundedOfDay, 1, daySeconds);
  return day.requests > perDay ? refused(day) : 0;
}

/** Takes back what `countUnfundedNotice` has counted for a mail that was not sent: it is tried again. */
export async function uncountUnfundedNotice(
  { requestWindows }: Database,
  { userID, isFunded }: MailedUser,
): Promise<void> {
  if (isFunded) return;
  await requestWindows.count(unfundedUsers, unfundedOfHour, -1, hourSeconds);
  await requestWindows.count(unfundedUsers, unfundedOfDay, -1, daySeconds);
  await requestWindows.count(subjectOfUser(userID), unfundedOfDay, -1, daySeconds);
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

function countSignInMail(data: Database, subject: string, most: HourAndDay, factor: number): Promise<boolean> {
  return countWithin(data, { subject, name: 'sign_in_mail', most, factor });
}

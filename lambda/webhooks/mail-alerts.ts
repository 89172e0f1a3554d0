// Mails the incidents of an alert channel, or its test, to the user of the channel.
import type { AlertChannel } from '../data/notices/alert-channels.ts';
import type { Notice } from '../data/notices/alert-notices.ts';
import { databaseOn } from '../data/database.ts';
import { countAlertMail, mailedUser, uncountUnfundedNotice } from '../orchestration/notices/count-mails.ts';
import { composeMail } from '../ports/mailer/compose-mail.ts';
import { MailsPaused } from '../ports/mailer/mailer.ts';
import type { Mail } from '../ports/mailer/mailer.ts';
import type { AlertMessage } from './alert-message.ts';
import type { Outcome } from './attempt.ts';
import { buttonOfNotices } from './mail-buttons.ts';
import type { MailOptions } from './mail-notification.ts';

/** The user may not be mailed now, which is no failure of the channel. */
export interface Wait {
  /** Seconds until the next attempt. */
  readonly waitSeconds: number;
}

/** The delay of the next attempt while mails to such users are paused. */
const pausedSeconds = 3600;

/** @param notices empty for a test, which has been counted by its request */
export async function mailAlerts(
  options: MailOptions,
  channel: AlertChannel,
  message: AlertMessage,
  notices: readonly Notice[],
): Promise<Outcome | Wait> {
  const data = databaseOn(options.pool);
  const to = await mailedUser(data, channel.user_id);
  const isCounted = notices.length > 0;
  const waitSeconds = isCounted ? await countAlertMail(data, to) : 0;
  if (waitSeconds > 0) return { waitSeconds };
  const outcome = await send(options, channel, message, notices, to.isFunded ? 'funded' : 'unfunded');
  const isSent = 'failure' in outcome && outcome.failure === null;
  if (isCounted && !isSent) await uncountUnfundedNotice(data, to);
  return outcome;
}

async function send(
  { pool, mailer, siteURL, log }: MailOptions,
  channel: AlertChannel,
  { subject, parts }: AlertMessage,
  notices: readonly Notice[],
  receiver: Mail['receiver'],
): Promise<Outcome | Wait> {
  const failed: Outcome = { status: null, excerpt: null, failure: 'unreachable', retryAfterSeconds: 0 };
  const user = await databaseOn(pool).users.find(channel.user_id);
  if (mailer === null || !user) return failed;
  try {
    const mail = composeMail({
      to: user.email,
      subject,
      parts,
      button: buttonOfNotices(siteURL, notices),
      reason: `You have this mail because the alert channel “${channel.name}” reports to you.`,
      settings: { label: 'Change alerts', url: `${siteURL}/alerts` },
      siteURL,
    });
    await mailer.send({ ...mail, receiver });
    return { ...failed, failure: null };
  } catch (error) {
    log('alert_not_mailed', { channelID: channel.id, error });
    return error instanceof MailsPaused ? { waitSeconds: pausedSeconds } : failed;
  }
}

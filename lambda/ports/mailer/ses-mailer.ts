// Mailer through Amazon SES.
import { SendEmailCommand } from '@aws-sdk/client-sesv2';
import type { SESv2Client } from '@aws-sdk/client-sesv2';
import { MailsPaused, referenceHeader, subjectLine } from './mailer.ts';
import type { Mailer, Receiver } from './mailer.ts';

/**
 * The configuration sets of mails that SES can pause, by their receivers. The others are sent with the set of the
 * sender's identity. Decision D281, and decision D289.
 */
export type PausableMailSets = Readonly<Partial<Record<Receiver, string>>>;

/** @param from an address of a verified SES identity; null if the stage has none, so that every mail fails */
export function createSESMailer(
  ses: Pick<SESv2Client, 'send'>,
  from: string | null,
  sets: PausableMailSets = {},
): Mailer {
  const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' });
  return {
    async send(mail) {
      const { to, text, html, reference, receiver } = mail;
      const set = sets[receiver];
      if (from === null)
        throw new Error('this stage has no address to send mails from: set mailFrom or domain in lib/stages.ts');
      const message = {
        Subject: utf8(subjectLine(mail)),
        Body: { Text: utf8(text), Html: utf8(html) },
        ...(reference === undefined ? {} : { Headers: [{ Name: referenceHeader, Value: reference }] }),
      };
      const command = new SendEmailCommand({
        FromEmailAddress: from,
        Destination: { ToAddresses: [to] },
        Content: { Simple: message },
        ...(set !== undefined && { ConfigurationSetName: set }),
      });
      try {
        await ses.send(command);
      } catch (error) {
        if (set !== undefined && isPause(error))
          throw new MailsPaused(`mails with ${set} are paused`, { cause: error });
        throw error;
      }
    },
  };
}

/** SES' older API has an error of its own for a paused set, `ConfigurationSetSendingPausedException`. */
function isPause(error: unknown): boolean {
  return error instanceof Error && error.name.endsWith('SendingPausedException');
}

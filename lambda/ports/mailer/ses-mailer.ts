// Mailer through Amazon SES.
import { SendEmailCommand } from '@aws-sdk/client-sesv2';
import type { SESv2Client } from '@aws-sdk/client-sesv2';
import { referenceHeader, subjectLine } from './mailer.ts';
import type { Mailer } from './mailer.ts';

/**
 * @param from an address of a verified SES identity; null if the stage has none, so that every mail fails
 * @param unconfirmedSet the configuration set of mails to addresses that are not confirmed; null: that of all others.
 *   While SES does not send with it, these mails fail. Decision D281.
 */
export function createSESMailer(
  ses: Pick<SESv2Client, 'send'>,
  from: string | null,
  unconfirmedSet: string | null = null,
): Mailer {
  const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' });
  return {
    async send(mail) {
      const { to, text, html, reference, isConfirmed = true } = mail;
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
        // The identity has a configuration set, which SES uses for all others.
        ...(isConfirmed || unconfirmedSet === null ? {} : { ConfigurationSetName: unconfirmedSet }),
      });
      await ses.send(command);
    },
  };
}

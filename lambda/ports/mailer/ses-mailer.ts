// Mailer through Amazon SES.
import { SendEmailCommand } from '@aws-sdk/client-sesv2';
import type { SESv2Client } from '@aws-sdk/client-sesv2';
import { referenceHeader, subjectLine } from './mailer.ts';
import type { Mailer } from './mailer.ts';

/** @param from an address of a verified SES identity; null if the stage has none, so that every mail fails */
export function createSESMailer(ses: Pick<SESv2Client, 'send'>, from: string | null): Mailer {
  const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' });
  return {
    async send(mail) {
      const { to, text, html, reference } = mail;
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
      });
      await ses.send(command);
    },
  };
}

// Mails through Amazon SES.
import { SendEmailCommand } from '@aws-sdk/client-sesv2';
import type { SESv2Client } from '@aws-sdk/client-sesv2';
import type { Mailer } from './mailer.ts';

/** @param from an address of an identity that SES has verified */
export function createSESMailer(ses: Pick<SESv2Client, 'send'>, from: string): Mailer {
  const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' });
  return {
    async send({ to, subject, text }) {
      await ses.send(
        new SendEmailCommand({
          FromEmailAddress: from,
          Destination: { ToAddresses: [to] },
          Content: { Simple: { Subject: utf8(subject), Body: { Text: utf8(text) } } },
        }),
      );
    },
  };
}

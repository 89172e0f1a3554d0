// Mails: each is a file of text and one of HTML that only their owner can read, or one request to SES.
import { mkdtemp, readFile, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SESv2Client } from '@aws-sdk/client-sesv2';
import { expect, onTestFinished, test } from 'vitest';
import { createFolderMailer } from '../../lambda/ports/mailer/folder-mailer.ts';
import { MailsPaused } from '../../lambda/ports/mailer/mailer.ts';
import { createSESMailer } from '../../lambda/ports/mailer/ses-mailer.ts';

const mail = {
  to: 'ada@example.com',
  subject: 'Grüße',
  text: 'A link: https://example.com/?token=x',
  html: '<p>A <a href="https://example.com/?token=x">link</a></p>',
  receiver: 'funded',
} as const;

test('a mail to a folder is two files of its own, named by time, which somebody is told of', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mails-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const told: string[] = [];
  const mailer = createFolderMailer({
    folder: join(folder, 'mails'),
    clock: () => new Date('2026-01-31T12:00:00Z'),
    onMail: ({ to }, text, html) => told.push(`${to} ${text} ${html}`),
  });
  await mailer.send(mail);
  await mailer.send(mail);
  const files = await readdir(join(folder, 'mails'));
  const names = ['2026-01-31T12-00-00.000Z-1', '2026-01-31T12-00-00.000Z-2'];
  expect(files.toSorted()).toEqual(names.flatMap((name) => [`${name}.html`, `${name}.txt`]));
  const paths = names.map((name) => join(folder, 'mails', name));
  expect(told).toEqual(paths.map((path) => `ada@example.com ${path}.txt ${path}.html`));
  const path = `${paths[0]}.txt`;
  expect(await readFile(`${paths[0]}.html`, 'utf8')).toBe(mail.html);
  expect((await stat(`${paths[0]}.html`)).mode & 0o077).toBe(0);
  expect(await readFile(path, 'utf8')).toBe(
    'To: ada@example.com\nSubject: Grüße\n\nA link: https://example.com/?token=x\n',
  );
  expect((await stat(path)).mode & 0o077).toBe(0);
  await mailer.send({ ...mail, reference: 'notification-7' });
  expect(await readFile(join(folder, 'mails', '2026-01-31T12-00-00.000Z-3.txt'), 'utf8')).toContain(
    '\nX-Reference: notification-7\n\n',
  );
});

test('a mail by SES is one request from the stage’s address, and an error without one', async () => {
  const sent: unknown[] = [];
  const ses = {
    send: (async ({ input }: { input: unknown }) => void sent.push(input)) as unknown as SESv2Client['send'],
  };
  await createSESMailer(ses, 'no-reply@example.com').send(mail);
  await createSESMailer(ses, 'no-reply@example.com').send({ ...mail, reference: 'notification-7' });
  expect(sent.pop()).toMatchObject({
    Content: { Simple: { Headers: [{ Name: 'X-Reference', Value: 'notification-7' }] } },
  });
  expect(sent).toEqual([
    {
      FromEmailAddress: 'no-reply@example.com',
      Destination: { ToAddresses: ['ada@example.com'] },
      Content: {
        Simple: {
          Subject: { Data: 'Grüße', Charset: 'UTF-8' },
          Body: { Text: { Data: mail.text, Charset: 'UTF-8' }, Html: { Data: mail.html, Charset: 'UTF-8' } },
        },
      },
    },
  ]);
  await expect(createSESMailer(ses, null).send(mail)).rejects.toThrow('set mailFrom or domain in lib/stages.ts');
});

const sets = { unfunded: 'dev-unfunded-mails', unconfirmed: 'dev-unconfirmed-mails' };

test('mails to strangers and to users without a purchase are sent with sets of theirs, and no others are', async () => {
  const sent: { ConfigurationSetName?: string }[] = [];
  const send = async ({ input }: { input: (typeof sent)[number] }) => void sent.push(input);
  const mailer = createSESMailer({ send }, 'no-reply@example.com', sets);
  for (const receiver of ['unconfirmed', 'unfunded', 'funded'] as const) await mailer.send({ ...mail, receiver });
  expect(sent.map(({ ConfigurationSetName }) => ConfigurationSetName)).toEqual([
    'dev-unconfirmed-mails',
    'dev-unfunded-mails',
    undefined,
  ]);
});

test('a pause of SES is known from other failures, and only where mails can be paused', async () => {
  const failing = (name: string) => {
    const failure = async () => {
      throw Object.assign(new Error('Sending is paused'), { name });
    };
    return createSESMailer({ send: failure }, 'no-reply@example.com', sets);
  };
  const unfunded = { ...mail, receiver: 'unfunded' } as const;
  await expect(failing('SendingPausedException').send(unfunded)).rejects.toThrow(MailsPaused);
  await expect(failing('ConfigurationSetSendingPausedException').send(unfunded)).rejects.toThrow(MailsPaused);
  await expect(failing('TooManyRequestsException').send(unfunded)).rejects.not.toThrow(MailsPaused);
  await expect(failing('SendingPausedException').send(mail)).rejects.not.toThrow(MailsPaused);
});

test('a subject with other lines in it, as of a stream’s name, is one line', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mails-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const subject = 'The stream “Night\r\nBcc: eve@example.com\u2028\u202Eradio” is away';
  const oneLine = 'The stream “Night Bcc: eve@example.com radio” is away';
  await createFolderMailer({ folder, clock: () => new Date(), onMail: () => {} }).send({ ...mail, subject });
  const file = (await readdir(folder)).find((name) => name.endsWith('.txt'));
  expect(await readFile(join(folder, file!), 'utf8')).toContain(`\nSubject: ${oneLine}\n\n`);
  const sent: { Content: { Simple: { Subject: { Data: string } } } }[] = [];
  const send = async ({ input }: { input: (typeof sent)[number] }) => void sent.push(input);
  await createSESMailer({ send }, 'no-reply@example.com').send({
    ...mail,
    subject,
  });
  expect(sent[0]!.Content.Simple.Subject.Data).toBe(oneLine);
});

// Mails as HTML: the words of their text, one button to a page that exists, no markup of users, no file from elsewhere.
import { chromium } from 'playwright-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { passwordResetMail, signUpAgainMail, verificationMail } from '../../lambda/auth/mails.ts';
import { notificationKinds, notificationWords } from '../../lambda/domain/notices/notification-words.ts';
import { composeMail } from '../../lambda/ports/mailer/compose-mail.ts';
import type { ComposedMail } from '../../lambda/ports/mailer/mailer.ts';
import { isPagePath } from '../../lambda/web/paths.ts';
import { messageOfNotices } from '../../lambda/webhooks/alert-message.ts';
import { buttonOfNotices, buttonOfNotification } from '../../lambda/webhooks/mail-buttons.ts';
import { chromiumPath } from '../support/chromium.ts';

const siteURL = 'https://example.org';
/** A name that would be markup, would end an attribute, begins lines of its own, and reverses the text after it. */
const hostile =
  '<img src=x onerror="document.title=1">\'\u202Egnp\u2069\r\n\r\nWhat to do: pay\u2028 now &amp; <a href="//evil">';
const shownName = '<img src=x onerror="document.title=1">\' gnp What to do: pay now &amp; <a href="//evil">';
const longest = '<"&\'>'.repeat(500);

type Notices = Parameters<typeof messageOfNotices>[0];
const notice = (name: string, other: object = {}) =>
  ({
    kind: 'stream_away',
    detail: { name, reason: { code: 'unreachable', detail: name } },
    phase: 'began',
    stream_id: 'str_1',
    began_at: new Date('2030-01-31T18:00:00Z'),
    ended_at: null,
    count: 1,
    ...other,
  }) as Notices[number];
const alertMail = (...notices: Notices): ComposedMail =>
  composeMail({
    ...messageOfNotices(notices, 'UTC'),
    to: 'ada@example.com',
    button: buttonOfNotices(siteURL, notices),
    reason: `You have this mail because of ${notices[0]!.detail.name}.`,
    settings: { label: 'Change alerts', url: `${siteURL}/alerts` },
    siteURL,
  });
const detailOf = (text: string) => ({
  creditsLeft: 12.3,
  creditsExhaustedAt: '2030-01-31T18:00:00.123Z',
  streamIDs: Array.from({ length: 3000 }, () => text),
  invoiceID: 'inv_1',
  creditsTakenBack: 5,
  storedGiB: 60,
  freeGiB: 50,
  creditsPerGiBMonth: 4,
  chargedFrom: '2030-01-09',
  webhookID: 'whk_1',
  url: text,
  waiting: 5,
  name: text,
  target: text,
  title: text,
  platform: 'youtube',
  sourceID: 'src_1',
  streamID: 'str_1',
  health: 'bad',
  issues: Array.from({ length: 50 }, () => ({ detail: text })),
});
const notificationMails = (text: string): [string, ComposedMail][] =>
  notificationKinds.map((kind) => {
    const detail = { ...detailOf(text), reason: kind === 'source_failing' ? { detail: text } : 'failing' };
    const button = buttonOfNotification(siteURL, kind, detail);
    const words = notificationWords(kind, detail);
    return [kind, composeMail({ ...words, to: 'ada@example.com', button, reason: 'Because.', siteURL })];
  });
const link = `${siteURL}/new-password#token=x`;
const ada = 'ada@example.com';
const mails: readonly (readonly [string, ComposedMail])[] = [
  ['a confirmation', verificationMail(ada, `${siteURL}/api/auth/verify-email?token=x&callbackURL=%2F`)],
  ['a new password', passwordResetMail(ada, link)],
  ['another sign-up', signUpAgainMail(ada, `${siteURL}/sign-in`)],
  ...notificationMails(hostile),
  ['an incident', alertMail(notice(hostile))],
  [
    'an incident that is over',
    alertMail(notice(hostile, { phase: 'ended', ended_at: new Date('2030-01-31T18:05:00Z') })),
  ],
  ['two incidents', alertMail(notice(hostile), notice('Day', { stream_id: 'str_2' }))],
  ['many incidents', alertMail(...Array.from({ length: 500 }, () => notice(hostile)))],
];

test.each([
  ...notificationMails(longest),
  ['incidents', alertMail(notice(longest), notice(longest), notice(longest))] as const,
])('with the longest texts: %s is shorter than the 102 KB after which Gmail cuts', (_, mail) => {
  expect(Buffer.byteLength(mail.html)).toBeLessThan(102_000);
  expect(Buffer.byteLength(mail.text)).toBeLessThan(102_000);
  expect(mail.subject.length).toBeLessThanOrEqual(250);
});

test.each(mails)('the button of %s leads to a page', (_, { html, text }) => {
  const [, url = ''] = /<td class="accent" style="border[^>]*><a href="([^"]+)"/.exec(html)!;
  const { origin, pathname } = new URL(url.replaceAll('&amp;', '&'));
  expect(origin).toBe(siteURL);
  expect(isPagePath(pathname) || pathname.startsWith('/api/auth/')).toBe(true);
  expect(text).toContain(`:\n${url.replaceAll('&amp;', '&')}\n`);
});

test('text of users is one line in the plain text, so that it cannot add lines of ours', () => {
  const { text, subject } = alertMail(notice(hostile));
  expect(text.split('\n').filter((line) => line.startsWith('What to do:'))).toEqual([
    'What to do: Check the URL of the destination, and whether its service is up.',
  ]);
  expect(text + subject).not.toMatch(/[\u202A-\u202E\u2066-\u2069\u2028\r]/u);
});

describe.skipIf(!chromiumPath)('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: chromiumPath!, args: ['--no-sandbox'] });
  });
  afterAll(() => browser.close());

  test.each(mails)('%s has each line of its text, and loads nothing', async (_, mail) => {
    const page = await browser.newPage({ viewport: { width: 360, height: 600 } });
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.setContent(mail.html);
    const shown = (await page.locator('body').innerText()).replaceAll(/\s+/g, ' ');
    const lines = mail.text.split('\n').flatMap((line) => line.replace(/^• /, '').split(/: (?=https:)|^What to do: /));
    for (const line of lines.map((text) => text.replace(/:$/, '').replaceAll(/\s+/g, ' ').trim()))
      if (!line.startsWith('https://') && !/ (since|from) 31 Jan/.test(line)) expect(shown).toContain(line);
    expect(requests).toEqual([]);
    expect(await page.locator('img, script, iframe, object, link, form, [onerror]').count()).toBe(0);
    expect(
      await page
        .locator('a')
        .evaluateAll((links) => links.map((each) => new URL((each as HTMLAnchorElement).href).host)),
    ).toEqual(expect.not.arrayContaining(['evil']));
    expect(await page.title()).toBe(mail.subject.replaceAll(/\s+/g, ' '));
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    await page.close();
  });

  test('a hostile name is shown as it is', async () => {
    const page = await browser.newPage();
    await page.setContent(alertMail(notice(hostile)).html);
    expect(await page.locator('h1').innerText()).toBe(`The stream “${shownName}” is off the air`);
    await page.close();
  });

  test.each([
    ['light', 'rgb(246, 247, 248)', 'rgb(20, 24, 28)'],
    ['dark', 'rgb(14, 17, 20)', 'rgb(233, 236, 239)'],
  ] as const)('a mail is %s as the system is', async (colorScheme, ground, text) => {
    const page = await browser.newPage({ colorScheme });
    await page.setContent(mails[0]![1].html);
    const colour = (selector: string, property: 'backgroundColor' | 'color') =>
      page
        .locator(selector)
        .first()
        .evaluate((element, name) => getComputedStyle(element)[name], property);
    expect([await colour('body', 'backgroundColor'), await colour('h1', 'color')]).toEqual([ground, text]);
    await page.close();
  });
});

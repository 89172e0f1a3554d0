// Confirmation of an address: the link of the mail works only in a browser that has presented the account's password.
import { expect, test, vi } from 'vitest';
import { one } from '../../lambda/data/shared/queryable.ts';
import { testSite } from '../support/site.ts';

// Password hashing is deliberately slow.
vi.setConfig({ testTimeout: 30_000 });

const site = testSite();

async function post(path: string, body: object) {
  const headers = { 'content-type': 'application/json', origin: site.origin() };
  const response = await fetch(`${site.origin()}/api/auth${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  const cookie = response.headers
    .getSetCookie()
    .map((set) => set.split(';')[0]!)
    .filter((pair) => pair.includes('confirming'))
    .join('; ');
  return { status: response.status, cookie, code: ((await response.json()) as { code?: string }).code };
}

const signUp = (email: string, password: string) =>
  post('/sign-up/email', { name: 'X', email, password, callbackURL: '/streams' });

/** Opens the newest link that was mailed to an address. */
async function openLink(email: string, cookie: string) {
  const mail = await vi.waitUntil(
    () => site.mails.findLast(({ to, text }) => to === email && /verify-email/.test(text)),
    20_000,
  );
  const link = /http:\S+/.exec(mail.text)![0];
  const { status, headers } = await fetch(link, { headers: { cookie }, redirect: 'manual' });
  const isSignedIn = headers.getSetCookie().some((set) => set.includes('session_token'));
  const user = await one<{ email_verified: boolean }>(
    site.pool(),
    'select email_verified from users where email = $1',
    [email],
  );
  return { status, to: headers.get('location'), isSignedIn, isConfirmed: user!.email_verified };
}

test('the owner of an address confirms no account that somebody else has made with it', async () => {
  const email = 'owner@example.com';
  const attacker = await signUp(email, 'the password of the attacker');
  const opened = await openLink(email, '');
  expect(opened).toMatchObject({ status: 302, isSignedIn: false, isConfirmed: false });
  expect(opened.to).toMatch(/^http:\/\/[^/]+\/sign-in\?confirm=%3Ftoken%3D/);
  // The owner signs up as well, which changes nothing about the account.
  const owner = await signUp(email, 'the password of the owner');
  expect([owner.status, owner.cookie !== '']).toEqual([200, true]);
  expect(await openLink(email, owner.cookie)).toMatchObject({ isSignedIn: false, isConfirmed: false });
  expect(await post('/sign-in/email', { email, password: 'the password of the owner' })).toMatchObject({
    status: 401,
    cookie: '',
  });
  expect(await openLink(email, attacker.cookie)).toMatchObject({ to: '/streams', isSignedIn: true, isConfirmed: true });
});

test('an address is confirmed on another device after its password was given there', async () => {
  const email = 'ada@example.com';
  await signUp(email, 'a long enough password');
  expect(await openLink(email, '')).toMatchObject({ isConfirmed: false });
  const signedIn = await post('/sign-in/email', { email, password: 'a long enough password' });
  expect([signedIn.status, signedIn.code]).toEqual([403, 'EMAIL_NOT_VERIFIED']);
  expect(await openLink(email, signedIn.cookie)).toMatchObject({ isSignedIn: true, isConfirmed: true });
  // A link that was used confirms nothing, and needs nothing.
  expect(await openLink(email, '')).toMatchObject({ isSignedIn: false, isConfirmed: true });
});

test('a sign-up shows by its cookie no more than by its answer whether an address is known', async () => {
  const known = await site.user();
  const [one, other] = [
    await signUp(known.email, 'any long password'),
    await signUp('new@example.com', 'any long one'),
  ];
  expect([one.status, one.cookie.length]).toEqual([other.status, other.cookie.length]);
});

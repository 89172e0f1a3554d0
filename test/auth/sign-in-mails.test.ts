// Mails of sign-in: a stranger can use up neither SES' quota nor a person's mailbox. Decision D272.
import { expect, test, vi } from 'vitest';
import { createAuthHandler } from '../../lambda/auth/auth-handler.ts';
import { databaseOn } from '../../lambda/data/database.ts';
import { widerNetworkOf } from '../../lambda/surfaces/admission/networks.ts';
import type { Mail } from '../../lambda/ports/mailer/mailer.ts';
import { testSite } from '../support/site.ts';

// Password hashing is deliberately slow.
vi.setConfig({ testTimeout: 60_000 });

const site = testSite();
const password = 'a long enough password';

/**
 * A sign-in of its own, with the limits of a stage and the mails and lines of the log that it leaves.
 * @param isRefused whether SES refuses a mail
 */
function limitedSignIn(isRefused: (mail: Mail) => boolean = () => false) {
  const mails: Mail[] = [];
  const logged: string[] = [];
  const origin = site.origin();
  const auth = createAuthHandler({
    origin,
    pool: site.pool(),
    sealer: site.sealer(),
    mailer: {
      send: async (mail) => {
        if (isRefused(mail)) throw new Error('Sending is paused');
        mails.push(mail);
      },
    },
    serviceSecret: 'a secret for tests',
    rateLimitFactor: 1,
    clock: () => new Date(),
    log: (event, fields) => void logged.push(JSON.stringify({ event, ...fields })),
  });
  return {
    mails,
    logged,
    mailsTo: (email: string) => mails.filter(({ to }) => to === email).length,
    /** @param address the client's address */
    post: async (path: string, body: object, address: string | null) => {
      const headers = { 'content-type': 'application/json', origin };
      const url = `${origin}/api/auth${path}`;
      const answer = await auth(new Request(url, { method: 'POST', headers, body: JSON.stringify(body) }), address);
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    },
  };
}

/** Gives a user a purchase. */
async function paid<User extends { readonly id: string }>(user: User): Promise<User> {
  const purchase = { type: 'credit_purchase', method: 'card', cost: 500, credits: 100 } as const;
  await databaseOn(site.pool()).invoices.ensurePaid({ id: `inv_${user.id}`, userID: user.id, ...purchase });
  return user;
}

const signUpOf = (email: string) => ({ name: 'Ada', email, password });

/** Addresses of as many different networks. */
const elsewhere = (() => {
  let networks = 0;
  return () => `198.18.${++networks}.1`;
})();

/** Begins all windows of mails earlier. */
const pass = (time: string) =>
  site.pool().query(`update request_windows set began_at = began_at - $1::interval where class like '%mail%'`, [time]);

test('mails to strangers and to users without a purchase have sets of their own, which SES can pause', async () => {
  const { mails, post } = limitedSignIn();
  const [{ email }, payer] = [await site.user(), await paid(await site.user())];
  const stranger = 'stranger@example.com';
  await post('/sign-up/email', signUpOf(stranger), elsewhere());
  await post('/sign-in/email', { email: stranger, password }, elsewhere());
  await post('/request-password-reset', { email: stranger }, elsewhere());
  await post('/request-password-reset', { email }, elsewhere());
  await post('/sign-up/email', signUpOf(email), elsewhere());
  await post('/request-password-reset', { email: payer.email }, elsewhere());
  await post('/sign-up/email', signUpOf(payer.email), elsewhere());
  expect(mails.map(({ to, receiver }) => [to, receiver])).toEqual([
    ...Array.from({ length: 3 }, () => [stranger, 'unconfirmed']),
    ...Array.from({ length: 2 }, () => [email, 'unfunded']),
    ...Array.from({ length: 2 }, () => [payer.email, 'funded']),
  ]);
});

test('a network makes 40 accounts an hour, and learns that it is refused', async () => {
  const { post } = limitedSignIn();
  const network = '198.51.100';
  expect((await post('/sign-up/email', signUpOf('first@example.com'), `${network}.1`)).status).toBe(200);
  await site.pool().query(`update request_windows set requests = 39 where class = 'sign_up_of_hour'`);
  expect((await post('/sign-up/email', signUpOf('last@example.com'), `${network}.2`)).status).toBe(200);
  const { status, body } = await post('/sign-up/email', signUpOf('refused@example.com'), `${network}.3`);
  expect([status, body['message']]).toEqual([429, expect.stringContaining('Your network has made many accounts.')]);
  expect((await post('/sign-up/email', signUpOf('other@example.com'), elsewhere())).status).toBe(200);
  const { rows } = await site
    .pool()
    .query(`select email from users where email ~ '^(last|refused|other)@' order by email`);
  expect(rows.map(({ email }) => email)).toEqual(['last@example.com', 'other@example.com']);
});

test('while mails to unconfirmed addresses are paused, answers stay the same and users get theirs', async () => {
  const isPaused = ({ receiver }: Mail) => receiver === 'unconfirmed';
  const { mails, mailsTo, logged, post } = limitedSignIn(isPaused);
  const { email } = await site.user();
  const sending = limitedSignIn();
  const [answer, other] = [
    await post('/sign-up/email', signUpOf('paused@example.com'), elsewhere()),
    await sending.post('/sign-up/email', signUpOf('sent@example.com'), elsewhere()),
  ];
  expect([answer.status, Object.keys(answer.body)]).toEqual([other.status, Object.keys(other.body)]);
  const reset = await post('/request-password-reset', { email: 'paused@example.com' }, elsewhere());
  expect(await post('/request-password-reset', { email }, elsewhere())).toEqual(reset);
  expect(mails).toHaveLength(1);
  expect(mailsTo(email)).toBe(1);
  expect(logged.filter((line) => line.includes('mail_failed'))).toHaveLength(2);
});

test('while mails to users without a purchase are paused, others get theirs, and answers stay the same', async () => {
  const { mailsTo, post } = limitedSignIn(({ receiver }) => receiver === 'unfunded');
  const [{ email }, payer] = [await site.user(), await paid(await site.user())];
  const answers = [];
  for (const to of [email, payer.email])
    answers.push(await post('/request-password-reset', { email: to }, elsewhere()));
  expect(answers[0]).toEqual(answers[1]);
  await post('/sign-up/email', signUpOf('new@example.com'), elsewhere());
  expect([mailsTo(email), mailsTo(payer.email), mailsTo('new@example.com')]).toEqual([0, 1, 1]);
});

test('a person gets three mails an hour and six a day, whoever asks and however the address is spelled', async () => {
  const { mails, logged, post } = limitedSignIn();
  const email = 'b.o.b@gmail.com';
  const first = await post('/sign-up/email', signUpOf(email), elsewhere());
  const requests = [
    () => post('/sign-up/email', signUpOf('Bob+1@Gmail.com'), elsewhere()),
    () => post('/sign-in/email', { email, password }, elsewhere()),
    () => post('/send-verification-email', { email }, elsewhere()),
    () => post('/request-password-reset', { email }, elsewhere()),
    () => post('/sign-up/email', signUpOf(email), elsewhere()),
  ];
  const answers = [];
  for (const request of requests) answers.push(await request());
  expect(mails).toHaveLength(3);
  expect(answers.map(({ status }) => status)).toEqual([200, 403, 200, 200, 200]);
  expect(Object.keys(answers.at(-1)!.body)).toEqual(Object.keys(first.body));
  expect(logged.filter((line) => line.includes('sign_in_mail_held'))).toHaveLength(3);
  expect(logged.join().toLowerCase()).not.toMatch(/gmail|198\.18\./);

  await pass('61 minutes');
  for (const request of requests) await request();
  expect(mails).toHaveLength(6);
  await pass('61 minutes');
  for (const request of requests) await request();
  expect(mails).toHaveLength(6);
  await pass('22 hours');
  await requests[1]!();
  expect(mails).toHaveLength(7);
});

test('a stranger cannot keep a person from a new password: one link for it comes within each hour', async () => {
  const { mails, mailsTo, post } = limitedSignIn();
  const { email } = await site.user();
  for (let hour = 0; hour < 3; hour++) {
    await pass('61 minutes');
    for (let sent = 0; sent < 4; sent++) await post('/sign-up/email', signUpOf(email), elsewhere());
  }
  expect(mailsTo(email)).toBe(6);
  for (let asked = 0; asked < 3; asked++) await post('/request-password-reset', { email }, elsewhere());
  expect(mailsTo(email)).toBe(7);
  expect(mails.at(-1)!.subject).toBe('Choose a new password');
});

test('a network gets twenty mails an hour and sixty a day, and others are served meanwhile', async () => {
  const { mails, mailsTo, logged, post } = limitedSignIn();
  const signUp = async (name: string, address: string) => {
    const email = `${name}@example.com`;
    expect((await post('/sign-up/email', signUpOf(email), address)).status).toBe(200);
    return mailsTo(email);
  };
  /** Asks for mails to unknown addresses, which count alike. */
  const ask = (count: number, addressOf: (index: number) => string) =>
    Promise.all(
      Array.from({ length: count }, (_, index) =>
        post('/request-password-reset', { email: `nobody${index}@example.com` }, addressOf(index)),
      ),
    );
  const office = (index: number) => `203.0.113.${index + 1}`;
  const colleagues = Array.from({ length: 21 }, (_, index) => signUp(`colleague${index}`, office(index)));
  expect((await Promise.all(colleagues)).toSorted()).toEqual([0, ...Array.from({ length: 20 }, () => 1)]);
  expect(logged.filter((line) => line.includes('sign_in_mail_held'))).toEqual([
    JSON.stringify({ event: 'sign_in_mail_held', subject: 'Confirm your e-mail address', limit: 'network' }),
  ]);
  expect(await signUp('neighbour', '203.0.114.1')).toBe(1);

  // A home line has 256 networks of 64 bits.
  await ask(20, (index) => `2001:db8:1:${index}::1`);
  expect(await signUp('line', '2001:db8:1:ff::1')).toBe(0);
  expect(await signUp('other-line', '2001:db8:2::1')).toBe(1);

  await pass('61 minutes');
  expect(await signUp('an-hour-later', office(30))).toBe(1);
  await ask(19, office);
  await pass('61 minutes');
  await ask(20, office);
  await pass('61 minutes');
  expect(await signUp('beyond-the-day', office(31))).toBe(0);
  await pass('21 hours');
  expect(await signUp('next-day', office(32))).toBe(1);
  expect(mails).toHaveLength(24);
});

test('a network that may get no more mails cannot use up those of a person', async () => {
  const { mailsTo, post } = limitedSignIn();
  const { email } = await site.user();
  const network = (index: number) => `192.0.2.${index + 1}`;
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      post('/request-password-reset', { email: `nobody${index}@example.com` }, network(index)),
    ),
  );
  // Requests for unknown addresses count as well: else a stranger would see by the own mails who is known.
  for (let index = 20; index < 26; index++) await post('/request-password-reset', { email }, network(index));
  expect(mailsTo(email)).toBe(0);
  await post('/request-password-reset', { email }, elsewhere());
  expect(mailsTo(email)).toBe(1);
});

test('clients without a known address share one limit, and take nothing from others', async () => {
  const { mails, mailsTo, post } = limitedSignIn();
  for (let index = 0; index < 4; index++) {
    await site.pool().query('delete from auth_rate_limits');
    await Promise.all(
      Array.from({ length: 6 }, (_, sent) =>
        post('/send-verification-email', { email: `nobody${index}.${sent}@example.com` }, null),
      ),
    );
  }
  await site.pool().query('delete from auth_rate_limits');
  await post('/sign-up/email', signUpOf('hidden@example.com'), null);
  expect(mails).toHaveLength(0);
  await post('/sign-up/email', signUpOf('seen@example.com'), elsewhere());
  expect(mailsTo('seen@example.com')).toBe(1);
});

test.each([
  ['192.0.2.1', '192.0.2.0/24'],
  ['::ffff:192.0.2.1', '192.0.2.0/24'],
  ['2001:DB8::1', '2001:db8:0::/48'],
  ['2001:db8:1:2:3:4:5:6%eth0', '2001:db8:1::/48'],
  ['192.0.2', null],
  ['', null],
])('the address "%s" belongs to the network %s', (address, network) => {
  expect(widerNetworkOf(address)).toBe(network);
});

// Secrets at rest: the whole database contains no readable stream key, password, API key, token or private key.
import { expect, test, vi } from 'vitest';
import { all } from '../../lambda/data/shared/queryable.ts';
import { browserSession } from '../support/browser-session.ts';
import { registerClient } from '../support/oauth.ts';
import { plantedSecrets } from '../support/planted-secrets.ts';
import { testSite } from '../support/site.ts';

// Password hashing is deliberately slow.
vi.setConfig({ testTimeout: 30_000 });

const site = testSite();

test('the check of all answers and logs in tests finds secrets that were sent', () => {
  const secrets = plantedSecrets();
  secrets.plant(
    new Headers({ 'x-api-key': 'lss_of_a_user' }),
    JSON.stringify({ destination: { streamKey: 'planted-key' } }),
  );
  secrets.plant(new Headers(), 'grant_type=x&code_verifier=planted-verifier');
  secrets.plant(new Headers(), '', 'https://api.example.com/v1/connections/callback?code=planted-code');
  secrets.plantAnswer('{"access_token":"planted-token","refresh_token":"planted-refresh"}');
  secrets.plantAnswer('{"cdn":{"ingestionInfo":{"streamName":"planted-ingest"}}}');
  const sealedAs = Buffer.from('planted-token').toString('hex');
  for (const secret of [
    'lss_of_a_user',
    'planted-key',
    'planted-verifier',
    'planted-code',
    'planted-token',
    'planted-refresh',
    'planted-ingest',
    sealedAs,
  ])
    expect(() => secrets.expectNoneIn(`x${secret}x`, 'the log')).toThrow('the log gives away');
  secrets.expectNoneIn('nothing of it', 'the log');
});

/** All rows of all tables, as one text. */
async function dumpDatabase(): Promise<string> {
  const query = `select table_name as name from information_schema.tables where table_schema = 'public'`;
  const tables = await all<{ name: string }>(site.pool(), query);
  const rows = [];
  for (const { name } of tables) rows.push(await all(site.pool(), `select to_jsonb(t) as row from "${name}" t`));
  return JSON.stringify(rows);
}

test('no secret is readable in any table, and answers have only those that they are there to give', async () => {
  const [user, browser] = [await site.user(), browserSession(site.origin)];
  await browser.signIn(user);
  const { key } = (await browser.post('/api/auth/account/api-keys/create', { name: 'script' })).body;
  const call = async (method: string, path: string, body?: unknown) =>
    (
      await fetch(`${site.origin()}/v1${path}`, {
        method,
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    ).text();
  const streamKeys = ['planted-destination-key', 'planted-stream-key'];
  const answers = [
    await call('POST', '/destinations', { name: 'Mine', rtmpURL: 'rtmp://127.0.0.1/live', streamKey: streamKeys[0] }),
    await call('POST', '/streams', { name: 'Mine', streamKey: streamKeys[1] }),
    await call('POST', '/destinations', { name: 7, rtmpURL: 'nowhere', streamKey: streamKeys[0] }),
    await call('GET', '/destinations'),
    await call('GET', '/streams'),
  ];
  expect(answers[0]).toContain('"id":"dst_');
  expect(answers[1]).toContain('"id":"str_');

  const application = await registerClient(site.origin(), { token_endpoint_auth_method: 'client_secret_post' });
  const { url } = await application.authorizationRequest('service:read');
  const code = (await browser.authorize(url, { user, accept: true })).searchParams.get('code')!;
  await browser.post('/api/auth/request-password-reset', { email: user.email, redirectTo: '/new-password' });
  const resetToken = await vi.waitUntil(
    () => /new-password#token=(\w+)/.exec(site.mails.at(-1)?.text ?? '')?.[1],
    20_000,
  );
  const publicApplication = await registerClient(site.origin());
  const request = await publicApplication.authorizationRequest('service:read');
  const granted = (await browser.authorize(request.url, { user, accept: true })).searchParams.get('code')!;
  const tokens = (await publicApplication.exchange(granted, request.verifier)).body;

  const database = await dumpDatabase();
  const secrets = {
    destinationKey: streamKeys[0]!,
    streamKey: streamKeys[1]!,
    key,
    password: user.password,
    code,
    resetToken,
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token,
  };
  expect(database).toContain('auth_');
  const readable = Object.entries(secrets).filter(([, secret]) => database.includes(secret));
  expect(readable.map(([name]) => name)).toEqual([]);
  // JSON Web Keys hold a private key as "d", here within JSON or within text that is JSON.
  expect(database).not.toMatch(/\\?"d\\?":/);
  for (const answer of answers) for (const streamKey of streamKeys) expect(answer).not.toContain(streamKey);
});

// Connection of a channel: from the link, over the consent page and back, at a stand-in for YouTube.
import { getRequestListener } from '@hono/node-server';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createYoutubeStandIn } from '../../bin/local/youtube/stand-in.ts';
import type { StandIn } from '../../bin/local/youtube/stand-in.ts';
import { withConsentCallback } from '../../lambda/api/consent-callback.ts';
import { createConsents } from '../../lambda/ports/managed-platforms/consents.ts';
import { openGrant } from '../../lambda/ports/managed-platforms/kept-grant.ts';
import { createRestHandler } from '../../lambda/surfaces/rest/rest-handler.ts';
import type { RestHandler } from '../../lambda/surfaces/rest/rest-handler.ts';
import { inChange } from '../../lambda/data/database.ts';
import { boundsOfUser } from '../../lambda/data/shared/change-bounds.ts';
import { one } from '../../lambda/data/shared/queryable.ts';
import { sealedSecretOf } from '../support/sealed-columns.ts';
import { testClient, testPlatforms } from '../support/platforms.ts';
import { baseURL, testService } from '../support/service.ts';
import type { TestUser } from '../support/service.ts';
import { streamedRequest } from '../support/streamed-request.ts';

const service = testService();
const callbackURL = `${baseURL}/connections/callback`;
const server = createServer();
let youtube: StandIn;
let handler: RestHandler;
let user: TestUser;
/** The channels whose unused grants were revoked. */
const revoked: string[] = [];

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const siteURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  youtube = createYoutubeStandIn({ ...testClient, redirectURI: callbackURL, signingKey: 'test' });
  const listener = getRequestListener(async (request) => {
    service.secrets.plant(request.headers, await request.clone().text());
    const response = await youtube(request);
    service.secrets.plantAnswer(await response.clone().text());
    return response;
  });
  server.on('request', (request, response) => void listener(request, response));
  const { pool, sealer, log } = service.service();
  // The grant ends as while the client's consent screen at Google is in testing.
  const platforms = { youtube: { ...testPlatforms(siteURL).youtube!, grantDays: 7 } };
  const made = createConsents(platforms, sealer, callbackURL);
  const end: typeof made.end = async (connection, sealedGrant) => {
    const { accessToken } = openGrant(sealer, connection.connectionID, sealedGrant);
    const { accountID } = await platforms.youtube.channel(accessToken);
    await made.end(connection, sealedGrant);
    await expect(platforms.youtube.channel(accessToken)).rejects.toMatchObject({ code: 'grant_revoked' });
    revoked.push(accountID);
  };
  const consents = { ...made, end };
  const answered = { ...service.service(), consents };
  handler = withConsentCallback(createRestHandler(answered), { consents, pool, sealer, log });
  user = await service.user();
});
afterAll(() => server.close());

async function call(method: string, path: string, body?: object) {
  const headers = { 'x-api-key': user.apiKey, 'content-type': 'application/json' };
  const request = new Request(baseURL + path, { method, headers, body: body ? JSON.stringify(body) : null });
  const response = await handler(request, '192.0.2.1');
  service.secrets.expectNoneIn(await response.clone().text(), `the answer to ${method} ${path}`);
  return response.status === 204 ? null : ((await response.json()) as Record<string, unknown> & { id: string });
}

/** Submits the consent page as a user does. @returns the address of the redirect back */
async function consent(authorizeURL: string, form: Record<string, string>): Promise<URL> {
  const page = await youtube(new Request(authorizeURL));
  expect(page.status).toBe(200);
  const body = new URLSearchParams({ channel: 'UC-local-loops', outcome: 'allow', ...form });
  const response = await youtube(new Request(authorizeURL, { method: 'POST', body }));
  expect(response.status).toBe(303);
  return new URL(response.headers.get('location')!);
}

const allow = { scope: 'https://www.googleapis.com/auth/youtube.force-ssl' };
const open = (url: URL) => come(new Request(url));
const confirm = ({ searchParams }: URL) => come(new Request(callbackURL, { method: 'POST', body: searchParams }));
/** Follows the redirect: the page has the code, and the user sends it back with their answer. */
async function come(request: Request): Promise<Response> {
  const isQuestion = request.method === 'GET';
  const { headers, url } = request;
  service.secrets.plant(headers, await request.clone().text(), url);
  const response = await handler(request, '192.0.2.1');
  if (!isQuestion) service.secrets.expectNoneIn(await response.clone().text(), 'the page that ends a consent');
  return response;
}
const titleOf = async (response: Response) => /<h1>(.*?)<\/h1>/.exec(await response.text())?.[1];
const asked = () => call('POST', '/connections', { platform: 'youtube' }) as Promise<Record<string, string>>;
const stateOf = async (id: string) => (await call('GET', `/connections/${id}`))!['state'];
async function disconnectAll(): Promise<void> {
  const list = (await call('GET', '/connections'))! as unknown as { data: { id: string }[] };
  for (const { id } of list.data) await call('DELETE', `/connections/${id}`);
  revoked.length = 0;
}

describe('a channel', () => {
  it('is connected once its owner has consented, and confirmed whose account gets it', async () => {
    const { id, authorizeURL } = await asked();
    expect(await stateOf(id!)).toBe('pending');
    const back = await consent(authorizeURL!, allow);
    const question = await open(back);
    expect(question.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    const page = await question.text();
    expect(page).toContain('Connect YouTube?');
    // An attacker can choose an address with the same first letter and host as that of the channel's owner.
    const { email } = (await one<{ email: string }>(service.pool(), 'select email from users where id = $1', [
      user.id,
    ]))!;
    expect(page).toContain(`The account of <strong>${email}</strong> will be able`);
    expect(await stateOf(id!)).toBe('pending');
    expect(await titleOf(await confirm(back))).toBe('Connected');
    expect(await call('GET', `/connections/${id}`)).toMatchObject({
      state: 'ok',
      accountID: 'UC-local-loops',
      title: 'YouTube (local)',
      liveURL: 'https://www.youtube.com/channel/UC-local-loops/live',
      scopes: [allow.scope],
    });
    const ends = await service.pool().query('select grant_ends_at - verified_at as after from connections');
    expect(ends.rows).toMatchObject([{ after: { days: 7 } }]);
  });

  it('is connected once only, whatever link is used', async () => {
    const { id, authorizeURL } = await asked();
    const back = await consent(authorizeURL!, allow);
    expect(await titleOf(await confirm(back))).toBe('Connected already');
    expect(await stateOf(id!)).toBe('pending');
    expect(await titleOf(await confirm(back))).toBe('This link has ended');
  });

  it.each([
    ['its user', (userID: string) => `user ${userID}`, 20],
    ['all users without a purchase', () => 'users who are not funded', 500],
  ])('is not connected while the consents of %s are used up for the day', async (_, subjectOf, most) => {
    await service.pool().query(`update invoices set type = 'free_credits' where user_id = $1`, [user.id]);
    await service.pool().query(
      `insert into request_windows (subject, class, began_at, requests, seconds)
       values ($1, 'consent', now(), $2, 86400)
       on conflict (subject, class) do update set requests = excluded.requests`,
      [subjectOf(user.id), most],
    );
    const { id, authorizeURL } = await asked();
    const answer = await confirm(await consent(authorizeURL!, allow));
    expect(answer.status).toBe(429);
    expect(await answer.text()).toContain('Ask for another link tomorrow.');
    expect(await stateOf(id!)).toBe('pending');
    await service.pool().query(`delete from request_windows where class = 'consent'`);
  });

  it('is forgotten when it is disconnected, also by the platform', async () => {
    await disconnectAll();
    const { id, authorizeURL } = await asked();
    await confirm(await consent(authorizeURL!, allow));
    const sealed = () =>
      one<{ sealed_grant: Buffer }>(service.pool(), 'select sealed_grant from connections where id = $1', [id]);
    const grant = service.service().sealer.open((await sealed())!.sealed_grant, `connection/${id}`);
    const { accessToken } = JSON.parse(grant) as { accessToken: string };
    const { youtube: adapter } = testPlatforms(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect((await adapter!.channel(accessToken)).accountID).toBe('UC-local-loops');
    expect((await sealed())!.sealed_grant.includes(Buffer.from(accessToken.slice(0, 20)))).toBe(false);
    await call('DELETE', `/connections/${id}`);
    expect(await sealed()).toBeNull();
    await expect(adapter!.channel(accessToken)).rejects.toMatchObject({ code: 'grant_revoked', outcome: 'rejected' });
  });
});

describe('the destination of a channel', () => {
  const destination = async (id: string) => (await call('GET', `/destinations/${id}`))!;
  const connected = async () => {
    await disconnectAll();
    const { id, authorizeURL } = await asked();
    await confirm(await consent(authorizeURL!, allow));
    return (await call('GET', `/connections/${id}`)) as { id: string; destinationID: string };
  };

  it('is made when the channel is connected, once, and goes with the connection', async () => {
    const { id, destinationID } = await connected();
    const made = await destination(destinationID);
    expect(made).toEqual({
      id: destinationID,
      name: 'YouTube (local)',
      managedChannelTitleCached: 'YouTube (local)',
      platform: 'youtube',
      limits: made['limits'],
      srt: null,
      createdAt: made['createdAt'],
      lastCheck: null,
    });
    expect(made['limits']).toMatchObject({ maxQuality: 'q_2160p', maxFramesPerSecond: 60 });
    const again = (await call('POST', `/connections/${id}/reauthorise`, {}))!;
    expect(await titleOf(await confirm(await consent(String(again['authorizeURL']), allow)))).toBe('Connected');
    expect(await call('GET', `/connections/${id}`)).toMatchObject({ destinationID });
    await call('DELETE', `/connections/${id}`);
    expect(await destination(destinationID)).toMatchObject({ status: 404 });
  });

  it('has the title that the platform said last, whatever its user calls it', async () => {
    const { id, destinationID } = await connected();
    await call('PATCH', `/destinations/${destinationID}`, { name: 'My channel' });
    await service.pool().query(`update connections set title_cached = 'New title' where id = $1`, [id]);
    const expected = { name: 'My channel', managedChannelTitleCached: 'New title' };
    expect(await destination(destinationID)).toMatchObject(expected);
  });

  it('has no address, and takes none', async () => {
    const { id, destinationID } = await connected();
    const change = { rtmpURL: 'rtmp://example.com/live', backupRtmpURL: 'rtmp://example.com/live', streamKey: 'key' };
    expect(await call('PATCH', `/destinations/${destinationID}`, change)).toMatchObject({
      status: 422,
      errors: [{ path: '/rtmpURL' }, { path: '/backupRtmpURL' }, { path: '/streamKey' }],
    });
    const archived = await call('DELETE', `/destinations/${destinationID}`);
    expect(archived).toMatchObject({ code: 'resource_in_use', detail: expect.stringContaining(id) });
  });

  it('is chosen by managed settings, and not by its id', async () => {
    const { destinationID } = await connected();
    const refused = {
      status: 422,
      errors: [{ path: '/destinationID', detail: expect.stringMatching(/managedSettingsID/) }],
    };
    expect(await call('POST', '/streams', { destinationID })).toMatchObject(refused);
    const { id } = (await call('POST', '/streams', {}))!;
    expect(await call('PATCH', `/streams/${id}`, { destinationID })).toMatchObject(refused);
  });

  it('has an empty address, and an empty key that is sealed', async () => {
    const { destinationID } = await connected();
    const sealed = await sealedSecretOf(service, 'destinations', destinationID);
    expect(service.service().sealer.open(sealed, `destination/${destinationID}`)).toBe('');
    const [row] = (await service.pool().query('select url from destinations where id = $1', [destinationID])).rows;
    expect(row).toEqual({ url: '' });
  });
});

describe('a consent', () => {
  it.each([
    ['nobody gives', { outcome: 'deny' }, 'Not connected', 'pending'],
    ['with a right that is missing', { scope: '' }, 'Not connected', 'pending'],
  ])('that %s connects nothing', async (_case, form, title, state) => {
    await disconnectAll();
    const { id, authorizeURL } = await asked();
    const back = await consent(authorizeURL!, form);
    expect(await titleOf(back.searchParams.has('error') ? await open(back) : await confirm(back))).toBe(title);
    expect(await stateOf(id!)).toBe(state);
  });

  it('in a form whose length is not known is not read beyond the bound', async () => {
    const { request, takenBytes } = streamedRequest(callbackURL);
    expect((await handler(request, '192.0.2.1')).status).toBe(400);
    expect(takenBytes()).toBeLessThan(100_000);
  });

  it('by an earlier link connects nothing after another was asked for', async () => {
    await disconnectAll();
    const { id, authorizeURL } = await asked();
    const again = (await call('POST', `/connections/${id}/reauthorise`, {}))!;
    expect(await titleOf(await confirm(await consent(authorizeURL!, allow)))).toBe('This link has ended');
    expect(await titleOf(await confirm(await consent(String(again['authorizeURL']), allow)))).toBe('Connected');
  });

  it('for another channel than before is refused', async () => {
    await disconnectAll();
    const { id, authorizeURL } = await asked();
    await confirm(await consent(authorizeURL!, allow));
    const again = (await call('POST', `/connections/${id}/reauthorise`, {}))!;
    const back = await consent(String(again['authorizeURL']), { ...allow, channel: 'UC-local-second' });
    expect(await titleOf(await confirm(back))).toBe('Another channel');
    expect(revoked).toEqual(['UC-local-second']);
    expect(await call('GET', `/connections/${id}`)).toMatchObject({ accountID: 'UC-local-loops', state: 'ok' });
  });

  it('by two links at once connects a channel once, and keeps the grant that both share', async () => {
    await disconnectAll();
    const links = [await asked(), await asked()];
    const returns = await Promise.all(links.map(({ authorizeURL }) => consent(authorizeURL!, allow)));
    const titles = await Promise.all(returns.map(async (back) => titleOf(await confirm(back))));
    expect(titles.toSorted()).toEqual(['Connected', 'Connected already']);
    // Google revokes all grants of an account at once.
    expect(revoked).toEqual([]);
  });

  it('while many changes of its user are under way is revoked, and another link connects', async () => {
    await disconnectAll();
    const { id, authorizeURL } = await asked();
    const back = await consent(authorizeURL!, allow);
    const bounds = boundsOfUser(user.id, true);
    const end = Promise.withResolvers<void>();
    const began = Array.from({ length: bounds.atOnce }, () => Promise.withResolvers<void>());
    const changes = began.map(({ resolve }) =>
      inChange(service.pool(), bounds, async () => {
        resolve();
        await end.promise;
      }),
    );
    await Promise.all(began.map(({ promise }) => promise));
    expect(await titleOf(await confirm(back))).toBe('Not connected');
    expect(revoked).toEqual(['UC-local-loops']);
    end.resolve();
    await Promise.all(changes);
    const again = (await call('POST', `/connections/${id}/reauthorise`, {}))!;
    expect(await titleOf(await confirm(await consent(String(again['authorizeURL']), allow)))).toBe('Connected');
  });

  it('that comes after the connection was deleted is revoked', async () => {
    await disconnectAll();
    const { id, authorizeURL } = await asked();
    const back = await consent(authorizeURL!, allow);
    await service.pool().query(`update connections set deleted_at = now() where id = $1`, [id]);
    expect(await titleOf(await confirm(back))).toBe('Disconnected');
    expect(revoked).toEqual(['UC-local-loops']);
  });

  it('with a code that somebody else got is refused by the proof of the verifier', async () => {
    await disconnectAll();
    const [mine, theirs] = [await asked(), await asked()];
    const back = await consent(theirs['authorizeURL']!, allow);
    back.searchParams.set('state', new URL(mine['authorizeURL']!).searchParams.get('state')!);
    expect(await titleOf(await confirm(back))).toBe('Not connected');
    expect(await stateOf(mine['id']!)).toBe('pending');
  });

  it('too old to count connects nothing', async () => {
    const { authorizeURL } = await asked();
    const back = await consent(authorizeURL!, allow);
    await service.pool().query(`update platform_authorizations set expires_at = now() - interval '1 second'`);
    expect(await titleOf(await open(back))).toBe('This link has ended');
    expect(await titleOf(await confirm(back))).toBe('This link has ended');
  });

  it('sends the person to the path of ours that was asked for', async () => {
    await disconnectAll();
    const { authorizeURL } = (await call('POST', '/connections', { platform: 'youtube', returnTo: '/account' }))!;
    const response = await confirm(await consent(String(authorizeURL), allow));
    expect([response.status, response.headers.get('location')]).toEqual([303, `${new URL(baseURL).origin}/account`]);
  });

  it('is not taken from the parameters as they are: the page shows no markup of others', async () => {
    const { authorizeURL } = await asked();
    const back = await consent(String(authorizeURL), allow);
    back.searchParams.set('iss', '"><script>alert(1)</script>');
    const page = await (await open(back)).text();
    expect(page).not.toContain('<script>');
    expect(page).toContain('&lt;script&gt;');
  });
});

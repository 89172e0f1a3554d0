// The end of things that an application has made or read, when its user disconnects it. Decision D255.
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { databaseOn, inTransaction } from '../../lambda/data/database.ts';
import { newID } from '../../lambda/data/shared/new-id.ts';
import { hashLiveKey } from '../../lambda/domain/live/live-key.ts';
import { browserSession } from '../support/browser-session.ts';
import type { BrowserSession } from '../support/browser-session.ts';
import { holdRows } from '../support/held-rows.ts';
import { source } from '../support/live-inputs.ts';
import { registerClient } from '../support/oauth.ts';
import { testSite } from '../support/site.ts';

// Password hashing is deliberately slow.
vi.setConfig({ testTimeout: 30_000 });

const site = testSite();
let user: Awaited<ReturnType<typeof site.user>>;
let browser: BrowserSession;
let byUser: Call;
beforeAll(async () => {
  user = await site.user();
  browser = browserSession(site.origin);
  await browser.signIn(user);
  const { key } = (await browser.post('/api/auth/account/api-keys/create', { name: 'script' })).body;
  byUser = callWith({ 'x-api-key': key });
});

type Call = ReturnType<typeof callWith>;
const callWith =
  (credential: Record<string, string>) =>
  async (method: string, path: string, body?: object): Promise<{ status: number; body: any }> => {
    const answer = await fetch(`${site.origin()}/v1${path}`, {
      method,
      headers: { ...credential, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: await answer.json().catch(() => null) };
  };

/** An application that the user has connected, its calls, and its end. */
async function connected() {
  const application = await registerClient(site.origin());
  const { url, verifier } = await application.authorizationRequest('service:read service:write');
  const callback = await browser.authorize(url, { user, accept: true });
  const { access_token: token } = (await application.exchange(callback.searchParams.get('code')!, verifier)).body;
  return {
    clientID: application.clientID,
    call: callWith({ authorization: `Bearer ${token}` }),
    disconnect: () => browser.post('/api/auth/account/applications/disconnect', { clientID: application.clientID }),
  };
}

test('a webhook of the application is told nothing any more', async () => {
  const { call, disconnect } = await connected();
  const hook = { url: 'http://127.0.0.1:9/hook', events: ['stream.state_changed'] };
  const [ofApplication, ofUser] = [
    (await call('POST', '/webhooks', hook)).body.id,
    (await byUser('POST', '/webhooks', hook)).body.id,
  ];
  // The application may not redirect the user's webhook to itself, which would last after its connection.
  const redirect = async (id: string) =>
    (await call('PATCH', `/webhooks/${id}`, { url: 'http://127.0.0.1:9/elsewhere' })).status;
  expect([await redirect(ofUser), await redirect(ofApplication)]).toEqual([403, 200]);
  const rotate = async (id: string) => (await call('POST', `/webhooks/${id}/rotate-secret`)).status;
  expect([await rotate(ofUser), await rotate(ofApplication)]).toEqual([403, 200]);
  await disconnect();
  const enabled = async (id: string) => (await byUser('GET', `/webhooks/${id}`)).body.enabled;
  expect([await enabled(ofApplication), await enabled(ofUser)]).toEqual([false, true]);
});

describe('the access token', () => {
  test('changes nothing any more, although it is still read from a cache', async () => {
    const { call, disconnect } = await connected();
    expect((await call('GET', '/me')).status).toBe(200);
    await disconnect();
    const hook = { url: 'http://127.0.0.1:9/late', events: ['stream.state_changed'] };
    expect(await call('POST', '/webhooks', hook)).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    expect((await byUser('GET', '/webhooks')).body.data.map(({ url }: { url: string }) => url)).not.toContain(hook.url);
  });

  test('changes nothing behind the end: a change that is under way is waited for, and ends too', async () => {
    const { clientID, disconnect } = await connected();
    const id = newID('whk', new Date());
    const url = 'http://127.0.0.1:9/under-way';
    const waits = `select from pg_locks where not granted and locktype in ('transactionid', 'tuple')`;
    let disconnecting: ReturnType<typeof disconnect>;
    await inTransaction(site.pool(), async (data) => {
      expect(await data.applications.holdConsent(user.id, clientID)).toBe(true);
      await data.webhooks.insert({
        id,
        userID: user.id,
        clientID,
        url,
        events: ['stream.state_changed'],
        sealedSecret: Buffer.alloc(1),
      });
      disconnecting = disconnect();
      await expect.poll(async () => (await site.pool().query(waits)).rowCount).toBe(1);
    });
    expect((await disconnecting!).status).toBe(200);
    expect((await byUser('GET', `/webhooks/${id}`)).body.enabled).toBe(false);
  });
});

describe('a live input', () => {
  const newInput = async (call: Call, streamID: string) =>
    (await call('POST', '/live-inputs', { name: 'Studio', streamID })).body;
  const rotated = async (call: Call, id: string) => (await call('POST', `/live-inputs/${id}/rotate-key`)).body.key;
  const admits = async (key: string) => (await databaseOn(site.pool()).liveInputs.ofKey(hashLiveKey(key))) !== null;
  const reasonOf = async (id: string) => (await byUser('GET', `/live-inputs/${id}`)).body.disabledReason;
  const ended = { code: 'application_disconnected', detail: expect.stringMatching('Replace the key') };

  test('admits no one by a key that the application received, and by any other one', async () => {
    const { call, disconnect } = await connected();
    const streamID = (await byUser('POST', '/streams', {})).body.id;
    const [made, replaced, takenBack, kept] = [
      await newInput(call, streamID),
      await newInput(byUser, streamID),
      await newInput(call, streamID),
      await newInput(byUser, streamID),
    ];
    const [ofApplication, ofUser] = [await rotated(call, replaced.id), await rotated(byUser, takenBack.id)];
    const keys = [made.key, ofApplication, ofUser, kept.key];
    expect(await Promise.all(keys.map(admits))).toEqual([true, true, true, true]);
    await disconnect();
    expect(await Promise.all(keys.map(admits))).toEqual([false, false, true, true]);
    expect(await Promise.all([made, replaced, takenBack, kept].map(({ id }) => reasonOf(id)))).toEqual([
      ended,
      ended,
      null,
      null,
    ]);
    expect(await admits(await rotated(byUser, made.id))).toBe(true);
    expect(await reasonOf(made.id)).toBeNull();
  });

  test('ends the session that uses such a key at its next report', async () => {
    const { call, disconnect } = await connected();
    const streamID = (await byUser('POST', '/streams', {})).body.id;
    await site.pool().query(`update streams set state = 'active' where id = $1`, [streamID]);
    const { id, key } = await newInput(call, streamID);
    const { liveSessions } = databaseOn(site.pool());
    const sent = { protocol: 'rtmp', address: '192.0.2.7', format: 'q_720p-f_30', encoder: 'libx264 veryfast' };
    await liveSessions.begin({ id: `lse_${id}`, liveInputID: id, ...sent }, 1);
    const report = () =>
      liveSessions.report(
        { id: `lse_${id}`, stored: { count: 1, sha256: Buffer.alloc(32) }, firstPictureAgoSeconds: 2, source },
        hashLiveKey(key),
      );
    expect(await report()).toBeNull();
    await disconnect();
    expect(await report()).toBe('not_wanted');
  });
});

test('a guide link is answered no more if the application received it, and any other one is', async () => {
  const { call, disconnect } = await connected();
  const newStream = async () => (await byUser('POST', '/streams', {})).body.id;
  const linkOf = async (by: Call, streamID: string) =>
    /guides\/([\w-]+)/.exec((await by('POST', `/streams/${streamID}/guide-link`)).body.jsonURL)![1]!;
  const streams = await Promise.all([newStream(), newStream(), newStream(), newStream()]);
  const [made, replaced, takenBack, kept] = streams as [string, string, string, string];
  await linkOf(byUser, replaced);
  await linkOf(call, takenBack);
  const links = [
    await linkOf(call, made),
    await linkOf(call, replaced),
    await linkOf(byUser, takenBack),
    await linkOf(byUser, kept),
  ];
  const { guideLinks } = databaseOn(site.pool());
  const answered = () => Promise.all(links.map(async (token) => (await guideLinks.find(token)) !== null));
  expect(await answered()).toEqual([true, true, true, true]);
  await disconnect();
  expect(await answered()).toEqual([false, false, true, true]);
  expect((await byUser('GET', `/streams/${made}/guide-link`)).status).toBe(404);
});

describe('a source', () => {
  const lease = 60;
  const feed = (name: string) => ({ kind: 'rss', url: `https://example.org/${name}.xml` });
  const sources = () => databaseOn(site.pool()).sources;
  /** The sources of the user that are due, which a worker then scans. */
  const scanned = async () => {
    await site.pool().query(`update sources set due_at = now() where due_at < 'infinity'`);
    const ids: string[] = [];
    for (let held = await sources().claim(lease); held; held = await sources().claim(lease)) {
      ids.push(held.id);
      expect(await sources().endScan(held, outcome)).toBe(true);
    }
    return ids.sort();
  };
  const outcome = { state: 'ok', reason: null, isFailed: false, found: 0, nextScanMinutes: 60 } as const;
  const shown = async (id: string) => (await byUser('GET', `/sources/${id}`)).body;
  const held = { code: 'application_disconnected', detail: expect.stringMatching('Scan it') };

  test('of the application is not read any more until its user asks for it', async () => {
    const [first, second] = [await connected(), await connected()];
    const ofApplication = (await first.call('POST', '/sources', feed('a'))).body.id;
    const ofUser = (await byUser('POST', '/sources', feed('b'))).body.id;
    const credentials = { username: 'ada', password: 'x' };
    const replace = async (id: string) => (await first.call('PATCH', `/sources/${id}`, { credentials })).status;
    expect([await replace(ofUser), await replace(ofApplication)]).toEqual([403, 200]);
    expect(await scanned()).toEqual([ofApplication, ofUser].sort());
    await first.disconnect();
    expect(await scanned()).toEqual([ofUser]);
    expect((await shown(ofApplication)).reason).toEqual(held);
    await byUser('PATCH', `/sources/${ofApplication}`, { folder: 'Feeds' });
    expect(await scanned()).toEqual([ofUser]);
    // The next application that has it watched is the one that it ends with.
    await second.call('POST', `/sources/${ofApplication}/scan`);
    expect((await shown(ofApplication)).reason).toBeNull();
    expect(await scanned()).toEqual([ofApplication, ofUser].sort());
    await second.disconnect();
    expect(await scanned()).toEqual([ofUser]);
    await byUser('POST', `/sources/${ofApplication}/scan`);
    expect(await scanned()).toEqual([ofApplication, ofUser].sort());
    for (const id of [ofApplication, ofUser]) await byUser('DELETE', `/sources/${id}`);
  });

  test('of the application imports nothing of a scan that is running', async () => {
    const { call, disconnect } = await connected();
    const { id } = (await call('POST', '/sources', feed('c'))).body;
    const running = (await sources().claim(lease))!;
    expect(running.id).toBe(id);
    await disconnect();
    expect([await sources().lockHeld(running), await sources().endScan(running, outcome)]).toEqual([false, false]);
    expect((await shown(id)).reason).toEqual(held);
  });
});

test('an application whose changes wait keeps its user neither from changes nor from the disconnect', async () => {
  site.pool().options.max = 20;
  const { call, disconnect } = await connected();
  const [{ body: locked }, { body: free }] = [await call('POST', '/streams', {}), await call('POST', '/streams', {})];
  const held = await holdRows(site.pool(), 'streams', locked.id);
  const changes = Array.from({ length: 10 }, () => call('PATCH', `/streams/${locked.id}`, { name: 'x' }));
  await held.untilWaiting(6);
  const ends = Array.from({ length: 6 }, disconnect);
  await held.untilWaiting(8);
  const page = { cookie: browser.cookies(), 'sec-fetch-site': 'same-origin', origin: site.origin() };
  expect((await callWith(page)('PATCH', `/streams/${free.id}`, { name: 'y' })).status).toBe(200);
  expect(await held.waits()).toBe(8);
  await held.release();
  expect((await Promise.all(changes)).map(({ status }) => status).toSorted()).toEqual([
    ...Array.from({ length: 6 }, () => 200),
    ...Array.from({ length: 4 }, () => 429),
  ]);
  const answers = await Promise.all(ends);
  // The second of those that waited has nothing to disconnect any more.
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 429, 429, 429, 429]);
  const refused = answers.find(({ status }) => status === 429)!;
  expect(refused.headers.get('retry-after')).toBe('2');
  expect(refused.body).toMatchObject({
    code: 'RATE_LIMITED',
    message: expect.stringMatching('Try again in 2 seconds'),
  });
});

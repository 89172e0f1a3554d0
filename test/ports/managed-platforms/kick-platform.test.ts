// Kick's adapter against answers in the shapes of Kick's documentation, and events that Kick signs.
import { generateKeyPairSync, sign } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { createKickPlatform } from '../../../lambda/ports/managed-platforms/kick-platform.ts';
import { UnsignedEvent } from '../../../lambda/ports/managed-platforms/platform-event.ts';
import { kickOfTest } from '../../support/kick.ts';

const makeKeys = () =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
const [keys, others] = [makeKeys(), makeKeys()];
const standIn = kickOfTest();
const accountID = standIn.userID;
let now: Date;

beforeEach(() => {
  standIn.requests = [];
  standIn.publicKey = keys.publicKey;
  now = new Date('2026-11-22T12:00:00Z');
});

const kick = () => createKickPlatform({ ...standIn.client, origins: standIn.origins, clock: () => now });

describe('a channel on Kick', () => {
  it('is read, with its key', async () => {
    const liveURL = 'https://kick.com/night%20loops';
    expect(await kick().channel('token')).toEqual({ accountID, title: 'night loops', liveURL });
    expect(await kick().ensureIngest('token', { label: 'x', heldID: null, accountID })).toEqual({
      externalID: null,
      url: 'rtmps://fa723fc1b171.global-contribute.live-video.net/app',
      backupURL: null,
      key: standIn.key,
    });
    await expect(kick().channel('another')).rejects.toMatchObject({ code: 'grant_revoked' });
  });

  it('is named', async () => {
    const tags = 'abcdefghijkl'.split('');
    await kick().describe!('token', { accountID, title: 'Night', categoryID: '15', tags });
    await kick().describe!('token', { accountID, title: 'Night', categoryID: null, tags: [] });
    expect(standIn.requests).toEqual([
      {
        line: 'PATCH /public/v1/channels',
        body: { stream_title: 'Night', category_id: 15, custom_tags: tags.slice(0, 10) },
      },
      { line: 'PATCH /public/v1/channels', body: { stream_title: 'Night', custom_tags: [] } },
    ]);
  });

  it('says who watches, and takes it off where it is not live', async () => {
    expect((await kick().audience('token', [accountID])).get(accountID)).toEqual({ live: true, viewers: 67 });
    expect(standIn.requests[0]!.line).toBe(`GET /public/v1/channels?broadcaster_user_id=${accountID}`);
    standIn.isLive = false;
    expect((await kick().audience('token', [accountID])).get(accountID)).toEqual({ live: false, viewers: null });
    standIn.isLive = true;
  });

  it('is subscribed to', async () => {
    await kick().subscribe!('token', { accountID, callbackURL: 'https://api.example.org/events' });
    expect(standIn.requests).toMatchObject([
      { line: 'POST /public/v1/events/subscriptions', body: { broadcaster_user_id: 123456789, method: 'webhook' } },
    ]);
  });
});

describe('an event of Kick', () => {
  const live = { broadcaster: { user_id: 123456789, username: 'night' }, is_live: true, title: 'x' };

  function signed(body: object, { time = '2026-11-22T11:58:00Z', key = keys.privateKey } = {}) {
    const [id, text] = ['01JBW5Y8XZ0000000000000000', JSON.stringify(body)];
    const signature = sign('sha256', Buffer.from(`${id}.${time}.${text}`), key).toString('base64');
    const headers = new Headers({
      'kick-event-message-id': id,
      'kick-event-message-timestamp': time,
      'kick-event-signature': signature,
      'kick-event-type': 'livestream.status.updated',
    });
    return { headers, body: text };
  }

  it('is read, by a key that is asked for once', async () => {
    const platform = kick();
    const first = await platform.readEvent!(signed(live));
    expect(first).toMatchObject({ kind: 'live', accountID, id: '01JBW5Y8XZ0000000000000000' });
    expect(await platform.readEvent!(signed(live))).toEqual(first);
    expect(await platform.readEvent!(signed({ ...live, is_live: false }))).toMatchObject({ kind: 'offline' });
    const metadata = { broadcaster: live.broadcaster, metadata: { title: 'y' } };
    expect(await platform.readEvent!(signed(metadata))).toMatchObject({ kind: 'changed' });
    expect(standIn.requests).toHaveLength(1);
  });

  it('is read after Kick took another key', async () => {
    const platform = kick();
    await platform.readEvent!(signed(live));
    standIn.publicKey = others.publicKey;
    now = new Date('2026-11-22T12:06:00Z');
    expect(await platform.readEvent!(signed(live, { key: others.privateKey }))).toMatchObject({ kind: 'live' });
    expect(standIn.requests).toHaveLength(2);
  });

  it.each([
    ['that is older than ten minutes', () => signed(live, { time: '2026-11-22T11:49:00Z' })],
    ['of somebody else', () => signed(live, { key: others.privateKey })],
    ['whose body was changed', () => ({ ...signed(live), body: JSON.stringify({ ...live, is_live: false }) })],
    ['without a signature', () => ({ headers: new Headers(), body: JSON.stringify(live) })],
    ['about nobody', () => signed({ is_live: true })],
  ])('%s is refused, and Kick is not asked for its key each time', async (_case, request) => {
    const platform = kick();
    for (const _time of [1, 2, 3]) await expect(platform.readEvent!(request())).rejects.toBeInstanceOf(UnsignedEvent);
    expect(standIn.requests.length).toBeLessThanOrEqual(1);
  });
});

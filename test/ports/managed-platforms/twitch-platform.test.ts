// Twitch's adapter and an independent client, against a stand-in for Twitch; and events that Twitch signs.
import { createHmac } from 'node:crypto';
import { ApiClient } from '@twurple/api';
import { RefreshingAuthProvider } from '@twurple/auth';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Grant } from '../../../lambda/ports/managed-platforms/managed-platform.ts';
import { UnsignedEvent } from '../../../lambda/ports/managed-platforms/platform-event.ts';
import { createTwitchPlatform } from '../../../lambda/ports/managed-platforms/twitch-platform.ts';
import { twitchOfTest } from '../../support/twitch.ts';

const twitch = twitchOfTest();
const now = new Date('2026-11-22T12:00:00Z');
const clock = () => now;
const platform = () => createTwitchPlatform({ ...twitch.client, origins: twitch.origins, clock });
const accountID = twitch.userID;
let grant: Grant;
const letters = 'abcdefghijkl'.split('');

beforeEach(async () => {
  const { code } = twitch.consent(platform().scopes);
  const parameters = new URLSearchParams({ code, state: 'a state' });
  grant = await platform().exchange({ parameters, verifier: 'none', redirectURI: 'http://127.0.0.1/callback' });
});

describe('a channel on Twitch', () => {
  it('is read, with its key, and an ingest that is near', async () => {
    const { accessToken } = grant;
    const liveURL = 'https://www.twitch.tv/loops';
    expect(await platform().channel(accessToken)).toEqual({ accountID, title: 'Loops', liveURL });
    const ingest = await platform().ensureIngest(accessToken, { label: 'x', heldID: null, accountID });
    const url = 'rtmps://near.example.org:443/app';
    expect(ingest).toEqual({ externalID: null, url, backupURL: null, key: twitch.key });
  });

  it('is named, with what Twitch takes of the tags', async () => {
    const tags = ['Night Radio', '24/7', 'ängstlich', '<>', 'x'.repeat(26), '24/7', ...letters];
    const description = { accountID, title: 'x'.repeat(200), categoryID: null, tags };
    await platform().describe!(grant.accessToken, description);
    expect(twitch.channel).toEqual({
      title: 'x'.repeat(140),
      game_id: '0',
      tags: ['NightRadio', '247', 'ängstlich', ...letters.slice(0, 7)],
    });
    const untitled = platform().describe!(grant.accessToken, { ...description, title: '' });
    await expect(untitled).rejects.toMatchObject({ code: 'rejected' });
  });

  it('says who watches', async () => {
    twitch.viewers = null;
    const ids = [accountID, ...Array.from({ length: 150 }, (_, n) => String(n))];
    const off = await platform().audience(grant.accessToken, ids);
    expect(off.size).toBe(151);
    expect(off.get(accountID)).toEqual({ live: false, viewers: null });
    twitch.viewers = 12;
    expect((await platform().audience(grant.accessToken, ids)).get(accountID)).toEqual({ live: true, viewers: 12 });
  });

  it('gets another refresh token with each refresh, and the one before has ended', async () => {
    const refreshed = await platform().refresh(grant);
    expect(refreshed.refreshToken).not.toBe(grant.refreshToken);
    expect(refreshed.scopes).toEqual(platform().scopes);
    await expect(platform().refresh(grant)).rejects.toMatchObject({ code: 'grant_revoked' });
    const another = createTwitchPlatform({ ...twitch.client, clientSecret: 'wrong', origins: twitch.origins, clock });
    await expect(another.refresh(refreshed)).rejects.toMatchObject({ code: 'rejected' });
    twitch.expire();
    await expect(platform().channel(refreshed.accessToken)).rejects.toMatchObject({ code: 'grant_revoked' });
  });

  it('is subscribed to once', async () => {
    const callbackURL = 'https://api.example.org/v1/platform-events/twitch';
    for (const _time of [1, 2]) await platform().subscribe!(grant.accessToken, { accountID, callbackURL });
    const types = ['stream.online', 'stream.offline', 'channel.update', 'user.authorization.revoke'];
    expect(twitch.subscriptions.map(({ type }) => type)).toEqual(types);
    expect(twitch.subscriptions[0]!.transport.secret).not.toContain(twitch.client.clientSecret);
  });
});

describe('a client of other people’s', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('refreshes, reads the key, names the channel and sees it live', async () => {
    vi.stubEnv('TWURPLE_MOCK_API_PORT', String(twitch.port));
    const { clientID: clientId, clientSecret } = twitch.client;
    const authProvider = new RefreshingAuthProvider({ clientId, clientSecret });
    const refreshed: (string | null)[] = [];
    authProvider.onRefresh((_user, { refreshToken }) => refreshed.push(refreshToken));
    const { accessToken, refreshToken, scopes } = grant;
    const expired = { accessToken, refreshToken, expiresIn: 1, obtainmentTimestamp: 0, scope: [...scopes] };
    await authProvider.addUserForToken(expired);
    const api = new ApiClient({ authProvider });
    expect(await api.streams.getStreamKey(accountID)).toBe(twitch.key);
    expect(refreshed).toHaveLength(1);
    expect(refreshed).not.toContain(refreshToken);
    await api.channels.updateChannelInfo(accountID, { title: 'By Twurple', gameId: '1', tags: ['radio'] });
    expect(twitch.channel).toEqual({ title: 'By Twurple', game_id: '1', tags: ['radio'] });
    twitch.viewers = 3;
    expect(await api.streams.getStreamByUserId(accountID)).toMatchObject({ viewers: 3, title: 'By Twurple' });
  });
});

describe('an event of Twitch', () => {
  const secret = () => twitch.subscriptions[0]!.transport.secret;
  const online = { subscription: { type: 'stream.online', condition: {} }, event: { broadcaster_user_id: accountID } };

  function signed(body: object, changes: Record<string, string> = {}) {
    const text = JSON.stringify(body);
    const told = {
      'twitch-eventsub-message-id': 'e76c6bd4-55c9-4987-8304-da1588d8988b',
      'twitch-eventsub-message-timestamp': '2026-11-22T11:55:00.123456789Z',
      'twitch-eventsub-message-type': 'notification',
      ...changes,
    };
    const covered = told['twitch-eventsub-message-id'] + told['twitch-eventsub-message-timestamp'] + text;
    const signature = `sha256=${createHmac('sha256', secret()).update(covered).digest('hex')}`;
    return { headers: new Headers({ ...told, 'twitch-eventsub-message-signature': signature }), body: text };
  }

  it('is read', async () => {
    const read = await platform().readEvent!(signed(online));
    expect(read).toMatchObject({ kind: 'live', accountID, id: 'e76c6bd4-55c9-4987-8304-da1588d8988b' });
    // A repeated event has the same id, so that receivers can count it once.
    expect(await platform().readEvent!(signed(online))).toEqual(read);
  });

  it.each([
    ['the end', { ...online, subscription: { type: 'stream.offline', condition: {} } }, 'offline'],
    ['another title', { ...online, subscription: { type: 'channel.update', condition: {} } }, 'changed'],
    ['a type that is new', { ...online, subscription: { type: 'channel.moved', condition: {} } }, 'changed'],
    [
      'a grant that ended',
      {
        subscription: { type: 'user.authorization.revoke', condition: { client_id: 'twitch-client' } },
        event: { client_id: 'twitch-client', user_id: accountID },
      },
      'revoked',
    ],
  ])('tells of %s', async (_case, body, kind) => {
    expect(await platform().readEvent!(signed(body))).toMatchObject({ kind, accountID });
  });

  it('may ask whether the address is ours, and say that a subscription has ended', async () => {
    const asking = { 'twitch-eventsub-message-type': 'webhook_callback_verification' };
    const asked = signed({ challenge: 'pogchamp-kappa-360noscope-vohiyo', subscription: {} }, asking);
    const challenge = { kind: 'challenge', answer: 'pogchamp-kappa-360noscope-vohiyo' };
    expect(await platform().readEvent!(asked)).toMatchObject(challenge);
    const ended = { subscription: { type: 'stream.online', condition: { broadcaster_user_id: accountID } } };
    const told = await platform().readEvent!(signed(ended, { 'twitch-eventsub-message-type': 'revocation' }));
    expect(told).toMatchObject({ kind: 'changed', accountID });
  });

  it.each<[string, () => { headers: Headers; body: string }]>([
    [
      'that is older than ten minutes',
      () => signed(online, { 'twitch-eventsub-message-timestamp': '2026-11-22T11:49:59Z' }),
    ],
    ['of the future', () => signed(online, { 'twitch-eventsub-message-timestamp': '2026-11-22T12:10:01Z' })],
    ['without a time', () => signed(online, { 'twitch-eventsub-message-timestamp': 'soon' })],
    ['whose body was changed', () => ({ ...signed(online), body: JSON.stringify(online).replace(accountID, '1') })],
    ['with the signature of another', () => ({ ...signed(online), headers: signed({}).headers })],
    ['without a signature', () => ({ headers: new Headers(), body: JSON.stringify(online) })],
    ['about nobody', () => signed({ ...online, event: {} })],
    ['that is no JSON', () => signed([])],
  ])('%s is refused', async (_case, request) => {
    await expect(platform().readEvent!(request())).rejects.toBeInstanceOf(UnsignedEvent);
  });
});

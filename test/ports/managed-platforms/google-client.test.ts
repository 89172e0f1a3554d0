// Google's own client against the YouTube stand-in: with its defaults, except for the address.
import { Readable } from 'node:stream';
import { youtube as createClient, type youtube_v3 } from '@googleapis/youtube';
import { CodeChallengeMethod, OAuth2Client } from 'google-auth-library';
import { beforeEach, describe, expect, it } from 'vitest';
import { youtubeOfTest, youtubeRedirectURI } from '../../support/youtube.ts';

const standIn = youtubeOfTest();
const scope = 'https://www.googleapis.com/auth/youtube.force-ssl';
let auth: OAuth2Client;
let client: youtube_v3.Youtube;

beforeEach(async () => {
  const { url, client: credentials } = standIn;
  auth = new OAuth2Client({
    clientId: credentials.clientID,
    clientSecret: credentials.clientSecret,
    redirectUri: youtubeRedirectURI,
    endpoints: {
      oauth2AuthBaseUrl: `${url}/o/oauth2/v2/auth`,
      oauth2TokenUrl: `${url}/token`,
      oauth2RevokeUrl: `${url}/revoke`,
    },
  });
  client = createClient({ version: 'v3', auth, rootUrl: `${url}/` });
  auth.setCredentials(await consent());
});

/** The whole code flow, as Google's library makes it. */
async function consent() {
  const { codeVerifier, codeChallenge } = await auth.generateCodeVerifierAsync();
  const page = auth.generateAuthUrl({
    access_type: 'offline',
    prompt: 'consent',
    scope: [scope],
    state: 'a state',
    code_challenge_method: CodeChallengeMethod.S256,
    code_challenge: codeChallenge!,
  });
  const body = new URLSearchParams({ channel: 'UC-local-loops', scope, outcome: 'allow' });
  const response = await fetch(page, { method: 'POST', body, redirect: 'manual' });
  const code = new URL(response.headers.get('location')!).searchParams.get('code')!;
  return (await auth.getToken({ code, codeVerifier })).tokens;
}

const start = () => new Date(standIn.clock().getTime() + 60_000).toISOString();
const reasonOf = async (call: Promise<unknown>) => {
  type Failure = { response: { data: { error: { errors: [{ reason: string }] } } } };
  const failure = (await call.catch((thrown: unknown) => thrown)) as Failure;
  return failure.response.data.error.errors[0].reason;
};

async function prepare() {
  const stream = await client.liveStreams.insert({
    part: ['id', 'snippet', 'cdn', 'contentDetails'],
    requestBody: {
      snippet: { title: 'Google’s' },
      cdn: { ingestionType: 'rtmp', resolution: 'variable', frameRate: 'variable' },
      contentDetails: { isReusable: true },
    },
  });
  const { data: broadcast } = await client.liveBroadcasts.insert({
    part: ['id', 'snippet', 'status', 'contentDetails'],
    requestBody: {
      snippet: { title: 'By Google’s client', scheduledStartTime: start() },
      status: { privacyStatus: 'unlisted', selfDeclaredMadeForKids: false },
      contentDetails: { enableAutoStart: false, monitorStream: { enableMonitorStream: false } },
    },
  });
  const id = broadcast.id!;
  await client.liveBroadcasts.bind({ part: ['id', 'contentDetails'], id, streamId: stream.data.id! });
  return { id, key: stream.data.cdn!.ingestionInfo!.streamName! };
}

describe('Google’s client', () => {
  it('takes a broadcast through its life', async () => {
    const { data: channels } = await client.channels.list({ part: ['id', 'snippet'], mine: true });
    expect(channels.items).toMatchObject([{ id: 'UC-local-loops', snippet: { title: 'YouTube (local)' } }]);
    const { id, key } = await prepare();
    standIn.publish(key);
    const { data: starting } = await client.liveBroadcasts.transition({
      part: ['status'],
      id,
      broadcastStatus: 'live',
    });
    expect(starting.status).toMatchObject({ lifeCycleStatus: 'liveStarting' });
    standIn.pass(10);
    const { data: list } = await client.liveBroadcasts.list({
      part: ['id', 'status', 'statistics'],
      broadcastStatus: 'active',
      broadcastType: 'all',
      maxResults: 50,
    });
    const statistics = { concurrentViewers: expect.stringMatching(/^\d+$/) };
    expect(list.items).toEqual([
      { kind: 'youtube#liveBroadcast', etag: expect.any(String), id, status: expect.any(Object), statistics },
    ]);
    const { data: streams } = await client.liveStreams.list({ part: ['status'], mine: true });
    expect(streams.items).toMatchObject([{ status: { streamStatus: 'active', healthStatus: { status: 'good' } } }]);
    const { data: videos } = await client.videos.list({ part: ['liveStreamingDetails'], id: [id, 'unknown'] });
    expect(videos.items).toHaveLength(1);
    const body = Readable.from([Buffer.from('ffd8ffe000104a464946', 'hex')]);
    const media = { mimeType: 'image/jpeg', body };
    await client.thumbnails.set({ videoId: id, media }, { rootUrl: `${standIn.url}/` });
    expect((await standIn.shown()).broadcasts).toMatchObject([{ id, hasThumbnail: true }]);
    await client.liveBroadcasts.transition({ part: ['id'], id, broadcastStatus: 'complete' });
    const second = await prepare();
    await client.liveBroadcasts.delete({ id: second.id });
    expect((await standIn.shown()).broadcasts).toMatchObject([{ id, lifeCycle: 'complete' }]);
  });

  it('reads the reasons of refusals', async () => {
    const { id } = await prepare();
    const live = () => client.liveBroadcasts.transition({ part: ['status'], id, broadcastStatus: 'live' });
    expect(await reasonOf(live())).toBe('errorStreamInactive');
    expect(await reasonOf(client.liveBroadcasts.delete({ id: 'none' }))).toBe('liveBroadcastNotFound');
    await standIn.admin({ action: 'disable_live' });
    expect(await reasonOf(live())).toBe('liveStreamingNotEnabled');
    await standIn.admin({ action: 'exhaust' });
    expect(await reasonOf(live())).toBe('quotaExceeded');
  });

  it('is refused what is not documented', async () => {
    const { id } = await prepare();
    const { liveBroadcasts } = client;
    const snippet = { scheduledStartTime: start() };
    const cases: [string, () => Promise<unknown>][] = [
      ['unknownPart', () => client.liveStreams.list({ part: ['contentDetails'], mine: true })],
      ['missingRequiredParameter', () => liveBroadcasts.list({ part: ['id'] })],
      ['incompatibleParameters', () => liveBroadcasts.list({ part: ['id'], mine: true, broadcastStatus: 'all' })],
      ['invalidParameter', () => liveBroadcasts.list({ part: ['id'], mine: true, maxResults: 51 })],
      ['badRequest', () => liveBroadcasts.list({ part: ['id'], mine: true, status: 'live' } as object)],
      ['titleRequired', () => liveBroadcasts.update({ part: ['snippet'], requestBody: { id, snippet } })],
      ['unexpectedPart', () => liveBroadcasts.update({ part: ['id'], requestBody: { id, status: {} } })],
      ['privacyStatusRequired', () => liveBroadcasts.update({ part: ['status'], requestBody: { id, status: {} } })],
    ];
    for (const [reason, call] of cases) expect(await reasonOf(call())).toBe(reason);
  });

  it('refreshes tokens that have expired, and is refused after the grant was revoked', async () => {
    const { access_token: before } = auth.credentials;
    auth.setCredentials({ ...auth.credentials, expiry_date: 1 });
    await client.channels.list({ part: ['id'], mine: true });
    expect(auth.credentials.access_token).not.toBe(before);
    await auth.revokeToken(auth.credentials.refresh_token!);
    await expect(auth.refreshAccessToken()).rejects.toThrow('invalid_grant');
  });
});

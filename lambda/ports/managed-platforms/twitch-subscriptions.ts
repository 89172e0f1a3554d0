// Subscriptions to a channel's events (https://dev.twitch.tv/docs/api/reference/#create-eventsub-subscription).
import * as z from 'zod';
import { PlatformRefusal } from './managed-platform.ts';
import type { EventSubscription } from './platform-event.ts';
import { fetchBounded, askPlatform, codeOfStatus, readPlainRefusal, retryAtOf } from './platform-request.ts';
import { twitchEventKinds, twitchEventSecret } from './twitch-events.ts';
import type { TwitchEventType } from './twitch-events.ts';

export interface TwitchClient {
  readonly clientID: string;
  readonly clientSecret: string;
  readonly origins: { readonly auth: string; readonly api: string };
}

const versions: Readonly<Record<TwitchEventType, string>> = {
  'stream.online': '1',
  'stream.offline': '1',
  'channel.update': '2',
  'user.authorization.revoke': '1',
};

const appToken = z.object({ access_token: z.string().min(1) });

/** Webhooks are requested in the name of the client, not of the channel. @throws {PlatformRefusal} */
export async function subscribeToTwitch(client: TwitchClient, { accountID, callbackURL }: EventSubscription) {
  const { clientID, clientSecret, origins } = client;
  const token = await askForAppToken(client);
  const headers = { authorization: `Bearer ${token}`, 'client-id': clientID };
  const transport = { method: 'webhook', callback: callbackURL, secret: twitchEventSecret(clientSecret) };
  for (const type of Object.keys(twitchEventKinds) as TwitchEventType[]) {
    const condition =
      type === 'user.authorization.revoke' ? { client_id: clientID } : { broadcaster_user_id: accountID };
    const body = { type, version: versions[type], condition, transport };
    const url = new URL(`${origins.api}/eventsub/subscriptions`);
    await askPlatform(url, { method: 'POST', headers, body }, z.unknown(), readPlainRefusal).catch((error: unknown) => {
      // The subscription exists already.
      if (!(error instanceof PlatformRefusal && error.reason === 'status 409')) throw error;
    });
  }
}

async function askForAppToken({ clientID, clientSecret, origins }: TwitchClient): Promise<string> {
  const form = { client_id: clientID, client_secret: clientSecret, grant_type: 'client_credentials' };
  const response = await fetchBounded(`${origins.auth}/token`, { method: 'POST', body: new URLSearchParams(form) });
  const { status, headers } = response;
  if (!response.ok)
    throw new PlatformRefusal(codeOfStatus(status), `status ${status}`, { retryAt: retryAtOf(headers) });
  const { data } = appToken.safeParse(await response.json().catch(() => null));
  if (!data) throw new PlatformRefusal('unavailable', 'an answer is not as documented');
  return data.access_token;
}

// Events of managed platforms: each signed event triggers one check of the channel; all others change nothing.
import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { withPlatformEvents } from '../../lambda/api/platform-events.ts';
import { createPlatformEvents } from '../../lambda/ports/managed-platforms/configured-events.ts';
import { twitchEventSecret } from '../../lambda/ports/managed-platforms/twitch-events.ts';
import type { RestHandler } from '../../lambda/surfaces/rest/rest-handler.ts';
import { actorsOn } from '../support/actors.ts';
import { managedActors } from '../support/managed-streams.ts';
import { baseURL, testService } from '../support/service.ts';
import { streamedRequest } from '../support/streamed-request.ts';

const service = testService();
const actors = actorsOn(service);
const { connect } = managedActors(service, actors);
const clientSecret = 'a client secret for tests';
let handler: RestHandler;
beforeAll(() => {
  const secret = JSON.stringify({ platforms: { twitch: { clientID: 'test', clientSecret } } });
  const events = createPlatformEvents(secret, () => new Date());
  const rest: RestHandler = async () => new Response('rest', { status: 418 });
  handler = withPlatformEvents(rest, { ...service.service(), events });
});

const offline = (accountID: string) => ({
  subscription: { type: 'stream.offline', condition: { broadcaster_user_id: accountID } },
  event: { broadcaster_user_id: accountID },
});

async function send(content: object | string, { id = 'event 1', type = 'notification', secret = clientSecret } = {}) {
  const body = typeof content === 'string' ? content : JSON.stringify(content);
  const time = new Date().toISOString();
  const signature = createHmac('sha256', twitchEventSecret(secret))
    .update(id + time + body)
    .digest('hex');
  const headers = {
    'twitch-eventsub-message-id': id,
    'twitch-eventsub-message-timestamp': time,
    'twitch-eventsub-message-signature': `sha256=${signature}`,
    'twitch-eventsub-message-type': type,
  };
  const request = new Request(`${baseURL}/platform-events/twitch`, { method: 'POST', headers, body });
  const response = await handler(request, '192.0.2.1');
  return [response.status, await response.text()] as const;
}

describe('an event of a platform', () => {
  const connected = async () => {
    const id = await connect();
    await service.pool().query(`update connections set platform = 'twitch' where id = $1`, [id]);
    return id;
  };

  it('has its channel looked at, once however often it comes', async () => {
    const id = await connected();
    expect(await send(offline(id), { id: `${id} a` })).toEqual([200, 'ok']);
    expect(await send(offline(id), { id: `${id} a` })).toEqual([200, 'ok']);
    expect(await actors.commands()).toEqual([{ queue: 'platforms', body: { connectionID: id } }]);
    await send(offline(id), { id: `${id} b` });
    expect(await actors.commands()).toHaveLength(2);
  });

  it('of a channel that nobody has connected is taken, and changes nothing', async () => {
    expect(await send(offline('nobody'))).toEqual([200, 'ok']);
    expect(await actors.commands()).toEqual([]);
  });

  it('that is not signed, or is too large, is refused', async () => {
    const id = await connected();
    expect(await send(offline(id), { secret: 'somebody else’s' })).toEqual([403, 'The signature is not valid.']);
    expect(await send('x'.repeat(70_000))).toEqual([413, 'Too large.']);
    expect(await actors.commands()).toEqual([]);
  });

  it('whose length is not known is not read beyond the bound', async () => {
    const { request, takenBytes } = streamedRequest(`${baseURL}/platform-events/twitch`);
    expect((await handler(request, '192.0.2.1')).status).toBe(413);
    expect(takenBytes()).toBeLessThan(200_000);
  });

  it('that asks whether the address is ours is answered', async () => {
    const type = 'webhook_callback_verification';
    expect(await send({ challenge: 'these words' }, { type })).toEqual([200, 'these words']);
  });

  it('of a platform that is not set up, or has none, is a request like any other', async () => {
    for (const platform of ['kick', 'youtube', 'other'])
      expect((await handler(new Request(`${baseURL}/platform-events/${platform}`), '192.0.2.1')).status).toBe(418);
  });
});

// Twitch's events by webhooks, called EventSub (https://dev.twitch.tv/docs/eventsub/handling-webhook-events).
import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod';
import type { PlatformEvent, SignedRequest } from './platform-event.ts';
import { readEventTime, UnsignedEvent } from './platform-event.ts';

/** Subscribed events of a channel, with their meaning for us. */
export const twitchEventKinds = {
  'stream.online': 'live',
  'stream.offline': 'offline',
  'channel.update': 'changed',
  'user.authorization.revoke': 'revoked',
} as const;
export type TwitchEventType = keyof typeof twitchEventKinds;

/** Secret of Twitch's signatures, derived, so that no event reveals the client's secret. */
export function twitchEventSecret(clientSecret: string): string {
  return createHmac('sha256', clientSecret).update('eventsub').digest('hex');
}

const subscription = z.object({
  type: z.string(),
  condition: z.object({ broadcaster_user_id: z.string().optional() }),
});
const challenge = z.object({ challenge: z.string().min(1).max(1000) });
const notification = z.object({
  subscription,
  event: z.object({ broadcaster_user_id: z.string().optional(), user_id: z.string().optional() }),
});
const revocation = z.object({ subscription });

/** @throws {UnsignedEvent} */
export function readTwitchEvent(request: SignedRequest, secret: string, now: Date): PlatformEvent {
  const { headers, body } = request;
  const id = headers.get('twitch-eventsub-message-id') ?? '';
  const time = headers.get('twitch-eventsub-message-timestamp') ?? '';
  const signature = headers.get('twitch-eventsub-message-signature') ?? '';
  const expected = `sha256=${createHmac('sha256', secret).update(`${id}${time}${body}`).digest('hex')}`;
  if (signature.length !== expected.length || !timingSafeEqual(Buffer.from(signature), Buffer.from(expected)))
    throw new UnsignedEvent('the signature is not right');
  const facts = { id, at: readEventTime(time, now) };
  switch (headers.get('twitch-eventsub-message-type')) {
    case 'webhook_callback_verification':
      return { ...facts, kind: 'challenge', answer: read(challenge, body).challenge };
    case 'revocation': {
      // Twitch ended the subscription itself: the grant is gone, or this address did not answer.
      const accountID = read(revocation, body).subscription.condition.broadcaster_user_id;
      return { ...facts, kind: 'changed', accountID: accountOf(accountID) };
    }
    default: {
      const { subscription: of, event } = read(notification, body);
      const kind = twitchEventKinds[of.type as TwitchEventType] ?? 'changed';
      const accountID = event.broadcaster_user_id ?? event.user_id ?? of.condition.broadcaster_user_id;
      return { ...facts, kind, accountID: accountOf(accountID) };
    }
  }
}

function accountOf(id: string | undefined): string {
  if (id === undefined) throw new UnsignedEvent('it is about no account');
  return id;
}

function read<Schema extends z.ZodType>(schema: Schema, body: string): z.output<Schema> {
  try {
    return schema.parse(JSON.parse(body));
  } catch (cause) {
    throw new UnsignedEvent('it is not as documented', { cause });
  }
}

// Kick's events by webhooks (https://docs.kick.com/events/webhook-security).
import { verify } from 'node:crypto';
import * as z from 'zod';
import { PlatformRefusal } from './managed-platform.ts';
import type { EventSubscription, PlatformEvent, SignedRequest } from './platform-event.ts';
import { readEventTime, UnsignedEvent } from './platform-event.ts';
import { askPlatform, readPlainRefusal } from './platform-request.ts';
import type { AskKick } from './kick-request.ts';

/** Subscribed events. Kick sends them to the address that the client is registered with. */
const eventNames = ['livestream.status.updated', 'livestream.metadata.updated'];

/** A repetition makes no second subscription: Kick keeps one for each event, channel and client. */
export async function subscribeToKick(ask: AskKick, accessToken: string, { accountID }: EventSubscription) {
  const events = eventNames.map((name) => ({ name, version: 1 }));
  const body = { broadcaster_user_id: Number(accountID), events, method: 'webhook' };
  await ask(accessToken, '/events/subscriptions', z.unknown(), { method: 'POST', body });
}

const publicKey = z.object({ data: z.object({ public_key: z.string().min(1) }) });
const about = z.object({ broadcaster: z.object({ user_id: z.int() }), is_live: z.boolean().optional() });

/**
 * Reads events with Kick's key, which is fetched once, and again when a signature is wrong, since the key may have
 * changed. All clients of Kick get the same signature, so an event may belong to another client's subscription; the
 * headers that name its type are not signed.
 */
export function kickEvents(origin: string, clock: () => Date) {
  let held: { readonly key: string; readonly askedAt: Date } | null = null;
  const askForKey = async () => {
    const url = new URL(`${origin}/public/v1/public-key`);
    const { data } = await askPlatform(url, { headers: {} }, publicKey, readPlainRefusal);
    held = { key: data.public_key, askedAt: clock() };
    return held;
  };
  return async ({ headers, body }: SignedRequest): Promise<PlatformEvent> => {
    const id = headers.get('kick-event-message-id') ?? '';
    const time = headers.get('kick-event-message-timestamp') ?? '';
    const at = readEventTime(time, clock());
    const signature = Buffer.from(headers.get('kick-event-signature') ?? '', 'base64');
    const isSignedWith = (key: string) => {
      try {
        return verify('sha256', Buffer.from(`${id}.${time}.${body}`), key, signature);
      } catch (cause) {
        throw new PlatformRefusal('unavailable', 'the key of the platform is no key', { cause });
      }
    };
    let { key, askedAt } = held ?? (await askForKey());
    // Strangers can send unsigned requests as often as they like, so Kick is not asked each time.
    if (!isSignedWith(key) && clock().getTime() - askedAt.getTime() > keyLifetimeMs) ({ key } = await askForKey());
    if (!isSignedWith(key)) throw new UnsignedEvent('the signature is not right');
    const told = read(body);
    const kind = told.is_live === undefined ? 'changed' : told.is_live ? 'live' : 'offline';
    return { id, at, kind, accountID: String(told.broadcaster.user_id) };
  };
}

const keyLifetimeMs = 5 * 60_000;

function read(body: string): z.output<typeof about> {
  try {
    return about.parse(JSON.parse(body));
  } catch (cause) {
    throw new UnsignedEvent('it is not as documented', { cause });
  }
}

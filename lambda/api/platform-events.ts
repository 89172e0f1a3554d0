// Receives the events of managed platforms: verifies each as received, and schedules a reading of the channel.
import type { Pool } from 'pg';
import { platformEvents } from '../data/channels/platform-events.ts';
import { platformNames } from '../domain/channels/managed-platforms.ts';
import type { Log } from '../log.ts';
import { platformEventsPath } from '../ports/managed-platforms/configured-events.ts';
import type { PlatformEvents } from '../ports/managed-platforms/configured-events.ts';
import { UnsignedEvent } from '../ports/managed-platforms/platform-event.ts';
import { boundedBody } from '../surfaces/read-body.ts';
import type { RestHandler } from '../surfaces/rest/rest-handler.ts';

export interface PlatformEventsOptions {
  readonly events: PlatformEvents;
  /** The base URL of the API. */
  readonly baseURL: string;
  readonly pool: Pool;
  readonly log: Log;
}

/** Events of platforms are far smaller. */
const maxEventBytes = 64 * 1024;
const maxIDLength = 200;

/** Handles the platforms' paths, which require only a signature. `rest` handles all other requests. */
export function withPlatformEvents(rest: RestHandler, options: PlatformEventsOptions): RestHandler {
  const { pathname: base } = new URL(options.baseURL);
  return async (request, address) => {
    const path = new URL(request.url).pathname;
    const platform = platformNames.find((name) => base + platformEventsPath(name) === path);
    const read = platform && options.events[platform];
    if (!platform || !read) return rest(request, address);
    if (request.method !== 'POST') return answer(405, 'Only POST.', { allow: 'POST' });
    const body = (await boundedBody(request, maxEventBytes))?.toString();
    if (body === undefined) return answer(413, 'Too large.');
    try {
      const event = await read({ headers: request.headers, body });
      if (event.kind === 'challenge') return answer(200, event.answer);
      const kept = platformEvents(options.pool);
      const isNew = await kept.keep(platform, event.id.slice(0, maxIDLength));
      // An event only triggers a reading. The state of the channel comes from the platform itself.
      if (isNew) await kept.doubtChannel(platform, event.accountID);
      return answer(200, 'ok');
    } catch (error) {
      if (error instanceof UnsignedEvent) {
        options.log('platform_event_refused', { platform, reason: error.message });
        return answer(403, 'The signature is not valid.');
      }
      // The event was not stored. The platform sends it again, because the answer is not 2xx.
      options.log('platform_event_failed', { platform, error });
      return answer(500, 'Send it again.');
    }
  };
}

function answer(status: number, text: string, headers: Record<string, string> = {}): Response {
  return new Response(text, { status, headers: { 'content-type': 'text/plain', ...headers } });
}

// What of the managed platforms of a stage reads their events: apart from the rest, which the API has no use for.
import type { PlatformName } from '../../domain/channels/managed-platforms.ts';
import { kickOrigins } from './kick-consents.ts';
import { kickEvents } from './kick-events.ts';
import { readPlatformClients } from './platform-clients.ts';
import type { PlatformEvent, SignedRequest } from './platform-event.ts';
import { readTwitchEvent, twitchEventSecret } from './twitch-events.ts';

/** By platform: reads a request, whose signature it verifies. */
export type PlatformEvents = Readonly<
  Partial<Record<PlatformName, (request: SignedRequest) => Promise<PlatformEvent>>>
>;

/** Below the base URL of the API: where a platform sends its events. Kick's has to be registered there. */
export function platformEventsPath(platform: PlatformName): string {
  return `/platform-events/${platform}`;
}

/** @throws where the configuration is malformed */
export function createPlatformEvents(secret: string, clock: () => Date): PlatformEvents {
  const { twitch, kick } = readPlatformClients(secret);
  return {
    ...(twitch && {
      twitch: async (request: SignedRequest) =>
        readTwitchEvent(request, twitchEventSecret(twitch.clientSecret), clock()),
    }),
    ...(kick && { kick: kickEvents(kickOrigins.api, clock) }),
  };
}

// Readers of platforms' events from the secret of a stage, apart from everything that the API does not need.
import type { PlatformName } from '../../domain/channels/managed-platforms.ts';
import { kickOrigins } from './kick-consents.ts';
import { kickEvents } from './kick-events.ts';
import { readPlatformClients } from './platform-clients.ts';
import type { PlatformEvent, SignedRequest } from './platform-event.ts';
import { readTwitchEvent, twitchEventSecret } from './twitch-events.ts';

/** By platform: verifies the signature of a request and reads it. */
export type PlatformEvents = Readonly<
  Partial<Record<PlatformName, (request: SignedRequest) => Promise<PlatformEvent>>>
>;

/** Path below the base URL of the API that a platform sends events to. Kick's has to be registered there. */
export function platformEventsPath(platform: PlatformName): string {
  return `/platform-events/${platform}`;
}

/** @throws {Error} if the configuration is malformed */
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

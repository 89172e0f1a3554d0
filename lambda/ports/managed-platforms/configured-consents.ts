// Consent platforms from the secret of a stage.
import { createKickConsents } from './kick-consents.ts';
import type { ConsentPlatforms } from './managed-platform.ts';
import { readPlatformClients } from './platform-clients.ts';
import { createTwitchConsents } from './twitch-consents.ts';
import { createYoutubeConsents } from './youtube-consents.ts';

/** @throws {Error} if the configuration is malformed; the message names the place and never repeats a value */
export function createConsentPlatforms(secret: string, clock: () => Date): ConsentPlatforms {
  const { youtube, twitch, kick } = readPlatformClients(secret);
  return {
    ...(youtube && { youtube: createYoutubeConsents({ ...youtube, clock }) }),
    ...(twitch && { twitch: createTwitchConsents({ ...twitch, clock }) }),
    ...(kick && { kick: createKickConsents({ ...kick, clock }) }),
  };
}

// Managed platforms from the secret of a stage.
import { createKickPlatform } from './kick-platform.ts';
import type { ManagedPlatforms } from './managed-platform.ts';
import { readPlatformClients } from './platform-clients.ts';
import { createTwitchPlatform } from './twitch-platform.ts';
import { createYoutubePlatform } from './youtube-platform.ts';

/** @throws {Error} if the configuration is malformed; the message names the place and never repeats a value */
export function createManagedPlatforms(secret: string, clock: () => Date): ManagedPlatforms {
  const { youtube, twitch, kick } = readPlatformClients(secret);
  return {
    ...(youtube && { youtube: createYoutubePlatform({ ...youtube, clock }) }),
    ...(twitch && { twitch: createTwitchPlatform({ ...twitch, clock }) }),
    ...(kick && { kick: createKickPlatform({ ...kick, clock }) }),
  };
}

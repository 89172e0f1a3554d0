// The managed platforms that the secret of a stage sets up.
import * as z from 'zod';
import { createKickPlatform } from './kick-platform.ts';
import type { ManagedPlatforms } from './managed-platform.ts';
import { createTwitchPlatform } from './twitch-platform.ts';
import { createYoutubePlatform } from './youtube-platform.ts';

/** Below the base URL of the API: where a consent page sends people back to. Each platform has to know this address. */
const callbackPath = '/connections/callback';

export function consentCallbackURL(baseURL: string): string {
  return baseURL + callbackPath;
}

const client = z.object({ clientID: z.string().min(1), clientSecret: z.string().min(1) });

/** The part of the secret that is about platforms. One that is left out is not offered. */
const configuration = z.object({
  platforms: z
    .strictObject({ youtube: client.optional(), twitch: client.optional(), kick: client.optional() })
    .default({}),
});

/** @throws where the configuration is malformed. The message says where, and never repeats a value. */
export function createManagedPlatforms(secret: string, clock: () => Date): ManagedPlatforms {
  const { data, error } = configuration.safeParse(JSON.parse(secret));
  if (!data) {
    const places = error.issues.map(({ path }) => path.join('.') || 'its root').join(', ');
    throw new Error(`the secret of the managed platforms is malformed at ${places}`);
  }
  const { youtube, twitch, kick } = data.platforms;
  return {
    ...(youtube && { youtube: createYoutubePlatform({ ...youtube, clock }) }),
    ...(twitch && { twitch: createTwitchPlatform({ ...twitch, clock }) }),
    ...(kick && { kick: createKickPlatform({ ...kick, clock }) }),
  };
}

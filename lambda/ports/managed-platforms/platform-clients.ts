// Our clients at the platforms, as the secret of a stage has them, and where consents come back to.
import * as z from 'zod';

/** Below the base URL of the API: where a consent page sends people back to. Each platform has to know this address. */
const callbackPath = '/connections/callback';

export function consentCallbackURL(baseURL: string): string {
  return baseURL + callbackPath;
}

const client = z.object({ clientID: z.string().min(1), clientSecret: z.string().min(1) });
/** Google ends the grants of a client whose consent screen is in testing after seven days. */
const youtubeClient = client.extend({ grantDays: z.int().min(1).max(365).optional() });

/** The part of the secret that is about platforms. One that is left out is not offered. */
const configuration = z.object({
  platforms: z
    .strictObject({ youtube: youtubeClient.optional(), twitch: client.optional(), kick: client.optional() })
    .default({}),
});

/** @throws where the configuration is malformed. The message says where, and never repeats a value. */
export function readPlatformClients(secret: string): z.output<typeof configuration>['platforms'] {
  const { data, error } = configuration.safeParse(JSON.parse(secret));
  if (data) return data.platforms;
  const places = error.issues.map(({ path }) => path.join('.') || 'its root').join(', ');
  throw new Error(`the secret of the managed platforms is malformed at ${places}`);
}

// Our clients at the platforms, from the secret of a stage, and the callback of consents.
import * as z from 'zod';

/** Path below the base URL of the API that a consent page returns to. Each platform has to know this address. */
const callbackPath = '/connections/callback';

export function consentCallbackURL(baseURL: string): string {
  return baseURL + callbackPath;
}

const client = z.object({ clientID: z.string().min(1), clientSecret: z.string().min(1) });
/** Google ends the grants of a client after seven days while its consent screen is in testing. */
const youtubeClient = client.extend({ grantDays: z.int().min(1).max(365).optional() });

/** The secret's part about platforms. An absent platform is not offered. */
const configuration = z.object({
  platforms: z
    .strictObject({ youtube: youtubeClient.optional(), twitch: client.optional(), kick: client.optional() })
    .default({}),
});

/** @throws {Error} if the configuration is malformed; the message names the place and never repeats a value */
export function readPlatformClients(secret: string): z.output<typeof configuration>['platforms'] {
  const { data, error } = configuration.safeParse(JSON.parse(secret));
  if (data) return data.platforms;
  const places = error.issues.map(({ path }) => path.join('.') || 'its root').join(', ');
  throw new Error(`the secret of the managed platforms is malformed at ${places}`);
}

// The managed platforms of tests: YouTube's adapter, connected to a stand-in for YouTube.
import { standInOrigins } from '../../bin/local/youtube/stand-in.ts';
import type { ManagedPlatforms } from '../../lambda/ports/managed-platforms/managed-platform.ts';
import { createYoutubePlatform } from '../../lambda/ports/managed-platforms/youtube-platform.ts';

export const testClient = { clientID: 'test', clientSecret: 'a client secret for tests', clock: () => new Date() };

/** @param siteURL address of the stand-in; tests that only need links may leave it unreachable */
export function testPlatforms(siteURL = 'http://127.0.0.1:3999'): ManagedPlatforms {
  return { youtube: createYoutubePlatform({ ...testClient, origins: standInOrigins(siteURL) }) };
}

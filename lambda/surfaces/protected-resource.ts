// What the API is to OAuth: a protected resource with a name, metadata (RFC 9728) and challenges that lead to it.
import { scopes } from '../operations/scopes.ts';
import type { Scope } from '../operations/scopes.ts';

/** Longest that an access token lasts. */
export const accessTokenSeconds = 900;

/** Parts of the API that tokens can be asked for by themselves; a token for the origin is good for all of them. */
export const resourcePaths = ['/v1', '/mcp', '/graphql'] as const;
export type ResourcePath = (typeof resourcePaths)[number];

/**
 * The names (RFC 8707) that a token for a part of the API may carry as its audience: its own, and the whole origin's.
 * Some clients write an origin with a slash at its end.
 */
export function audiencesOf(origin: string, path: ResourcePath): readonly [string, string, string] {
  return [origin + path, origin, `${origin}/`];
}

/** RFC 9728. @param resource the name that a client started from: an origin, or an origin and one of the paths */
export function protectedResourceMetadata(origin: string, resource: string): Record<string, unknown> {
  return {
    resource,
    authorization_servers: [origin],
    scopes_supported: Object.keys(scopes),
    bearer_methods_supported: ['header'],
    resource_name: 'Loop streaming API',
    resource_documentation: `${origin}/v1/openapi.json`,
  };
}

/** For WWW-Authenticate (RFC 6750, RFC 9728). @param needed the scope that is missing; null when there is no valid credential */
export function bearerChallenge(origin: string, path: ResourcePath, needed: Scope | null): string {
  const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource${path}"`;
  if (needed) return `Bearer error="insufficient_scope", scope="${needed}", ${metadata}`;
  return `Bearer ${metadata}, scope="${Object.keys(scopes).join(' ')}", ApiKey header="X-API-Key"`;
}

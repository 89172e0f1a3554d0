// The API as a protected resource of OAuth: its names, metadata (RFC 9728) and challenges.
import { scopes } from '../../operations/scopes.ts';
import type { Scope } from '../../operations/scopes.ts';

/** The longest lifetime of an access token. */
export const accessTokenSeconds = 900;

/** The parts of the API that a client can request a token for. A token for the whole origin is valid for all parts. */
export const resourcePaths = ['/v1', '/mcp', '/graphql'] as const;
export type ResourcePath = (typeof resourcePaths)[number];

/**
 * The audiences (RFC 8707) that make a token valid for a part of the API: the part or the origin. Some clients write an
 * origin with a slash at its end.
 */
export function audiencesOf(origin: string, path: ResourcePath): readonly [string, string, string] {
  return [origin + path, origin, `${origin}/`];
}

/**
 * The metadata of RFC 9728.
 * @param resource the name that the client asked about: an origin, or an origin with one of the paths
 */
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

/** The fault of a token: a scope that it lacks, or that it is not valid. Null: the request has no token. */
export type TokenFault = { readonly lacks: Scope } | 'invalid' | null;

/** The value of the header WWW-Authenticate (RFC 6750, RFC 9728). A request without a token gets no error code. */
export function bearerChallenge(origin: string, path: ResourcePath, fault: TokenFault): string {
  const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource${path}"`;
  if (fault !== null && fault !== 'invalid')
    return `Bearer error="insufficient_scope", scope="${fault.lacks}", ${metadata}`;
  const error = fault === null ? '' : 'error="invalid_token", ';
  return `Bearer ${error}${metadata}, scope="${Object.keys(scopes).join(' ')}", ApiKey header="X-API-Key"`;
}

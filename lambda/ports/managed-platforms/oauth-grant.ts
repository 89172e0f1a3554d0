// Grants by OAuth, which all platforms have in common but for their dialects.
import type { AuthorizeRequest, ManagedPlatform } from './managed-platform.ts';

export interface OAuthDialect {
  readonly clientID: string;
  readonly clientSecret: string;
  readonly endpoints: { readonly authorize: string; readonly token: string; readonly revoke: string };
  readonly scopes: readonly string[];
  /** What the consent page is told besides. */
  readonly authorizeParameters: Readonly<Record<string, string>>;
  /** Whether the platform documents PKCE. One that does not may refuse parameters that it does not know. */
  readonly hasPKCE: boolean;
  readonly clock: () => Date;
}

/** The parts of a ManagedPlatform that are about grants. */
export function oauthGrants(
  dialect: OAuthDialect,
): Pick<ManagedPlatform, 'scopes' | 'authorizeURL' | 'exchange' | 'refresh' | 'revoke'> {
  const { clientID, endpoints, scopes, authorizeParameters, hasPKCE } = dialect;
  // The library of the flow is loaded by the few requests that need it.
  const flow = async () => (await import('./oauth-flow.ts')).createOAuthFlow(dialect);
  return {
    scopes,
    authorizeURL({ state, challenge, redirectURI }: AuthorizeRequest): URL {
      const url = new URL(endpoints.authorize);
      const parameters = {
        response_type: 'code',
        client_id: clientID,
        redirect_uri: redirectURI,
        scope: scopes.join(' '),
        state,
        ...(hasPKCE && { code_challenge: challenge, code_challenge_method: 'S256' }),
        ...authorizeParameters,
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url;
    },
    exchange: async (exchange) => (await flow()).exchange(exchange),
    refresh: async (grant) => (await flow()).refresh(grant),
    revoke: async (grant) => (await flow()).revoke(grant),
  };
}

// Grants by OAuth, shared by all platforms except for their dialects.
import type { ConsentPlatform } from './managed-platform.ts';
import type { OAuthDialect } from './oauth-dialect.ts';
import { createOAuthFlow } from './oauth-flow.ts';

/** The grant methods of a ConsentPlatform. */
export function oauthGrants(
  dialect: OAuthDialect,
): Pick<ConsentPlatform, 'scopes' | 'authorizeURL' | 'exchange' | 'refresh' | 'revoke'> {
  const { clientID, endpoints, scopes, authorizeParameters, hasPKCE } = dialect;
  // The few requests that need the library of the flow load it.
  const flow = async () => createOAuthFlow(await import('oauth4webapi'), dialect);
  return {
    scopes,
    authorizeURL({ state, challenge, redirectURI }) {
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

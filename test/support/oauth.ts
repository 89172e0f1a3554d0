// An OAuth application: registers itself, requests authorization and exchanges codes for tokens.
import { createHash, randomBytes } from 'node:crypto';

export interface TokenAnswer {
  readonly status: number;
  readonly body: any;
}

export interface TestClient {
  readonly clientID: string;
  readonly redirectURI: string;
  /** Builds the address of a request. @param changes parameters to change; undefined removes one */
  authorizationRequest(
    scope: string,
    changes?: Record<string, string | undefined>,
  ): Promise<{ url: URL; verifier: string; state: string }>;
  token(form: Record<string, string>): Promise<TokenAnswer>;
  exchange(code: string, verifier: string, changes?: Record<string, string>): Promise<TokenAnswer>;
  refresh(refreshToken: string, changes?: Record<string, string>): Promise<TokenAnswer>;
}

/** Registers a public client with refresh tokens. @param metadata replaces parts of its own metadata */
export async function registerClient(origin: string, metadata: Record<string, unknown> = {}): Promise<TestClient> {
  const response = await fetch(`${origin}/api/auth/oauth2/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Test',
      redirect_uris: ['http://127.0.0.1:9/callback'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      ...metadata,
    }),
  });
  if (response.status !== 201)
    throw new Error(`registration was answered ${response.status}: ${await response.text()}`);
  const {
    client_id: clientID,
    redirect_uris: [redirectURI = ''],
  } = (await response.json()) as { client_id: string; redirect_uris: readonly string[] };
  const token = async (form: Record<string, string>): Promise<TokenAnswer> => {
    const answer = await fetch(`${origin}/api/auth/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: clientID, ...form }),
    });
    return { status: answer.status, body: await answer.json() };
  };
  return {
    clientID,
    redirectURI,
    async authorizationRequest(scope, changes = {}) {
      const verifier = randomBytes(32).toString('base64url');
      const state = randomBytes(8).toString('hex');
      const parameters = {
        client_id: clientID,
        redirect_uri: redirectURI,
        response_type: 'code',
        scope,
        state,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        ...changes,
      };
      const url = new URL(`${origin}/api/auth/oauth2/authorize`);
      for (const [name, value] of Object.entries(parameters))
        if (value !== undefined) url.searchParams.set(name, value);
      return { url, verifier, state };
    },
    token,
    exchange: (code, verifier, changes = {}) =>
      token({ grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: redirectURI, ...changes }),
    refresh: (refreshToken, changes = {}) =>
      token({ grant_type: 'refresh_token', refresh_token: refreshToken, ...changes }),
  };
}

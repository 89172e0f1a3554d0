// The MCP SDK's own clients, of both generations: with a credential, or with OAuth from the first 401 on.
import {
  Client as ClientV2,
  StreamableHTTPClientTransport as TransportV2,
  UnauthorizedError as UnauthorizedV2,
} from '@modelcontextprotocol/client';
import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import { UnauthorizedError as UnauthorizedV1 } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

// oxlint-disable-next-line typescript/no-explicit-any -- tests assert on the answers
type Answer = any;

/** The features of both generations' clients, in one form. */
export interface McpClient {
  readonly protocolVersion: string | undefined;
  listTools(): Promise<Answer[]>;
  callTool(name: string, args?: object): Promise<Answer>;
  readResource(uri: string): Promise<Answer>;
  listResourceTemplates(): Promise<Answer[]>;
  listPrompts(): Promise<Answer[]>;
  getPrompt(name: string, args: Record<string, string>): Promise<Answer>;
  instructions(): string | undefined;
  close(): Promise<void>;
}

export type Credential = { readonly headers: Record<string, string> } | { readonly authProvider: OAuthClientProvider };

/** Construction of each kind of client and its transport. */
const kinds = {
  v1: () => [new ClientV1(info), TransportV1] as const,
  v2: () => [new ClientV2(info), TransportV2] as const,
  'v2, negotiating': () => [new ClientV2(info, { versionNegotiation: { mode: 'auto' } }), TransportV2] as const,
  'v2, pinned to 2026-07-28': () =>
    [new ClientV2(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } }), TransportV2] as const,
};
const info = { name: 'test', version: '1.0.0' };

export type ClientKind = keyof typeof kinds;
export const clientKinds = Object.keys(kinds) as ClientKind[];

/**
 * Connects a client.
 * @param authorize takes a user to the authorization address, and returns the address of the redirect back
 */
export async function connectMcpClient(
  kind: ClientKind,
  url: string,
  credential: Credential,
  authorize?: () => Promise<URL>,
): Promise<McpClient> {
  const [client, Transport] = kinds[kind]();
  const options =
    'headers' in credential
      ? { requestInit: { headers: credential.headers } }
      : { authProvider: credential.authProvider as never };
  const open = () => new Transport(new URL(url), options);
  const first = open();
  try {
    await client.connect(first);
  } catch (error) {
    if (!authorize || !(error instanceof UnauthorizedV1 || error instanceof UnauthorizedV2)) throw error;
    const { searchParams } = await authorize();
    await (first instanceof TransportV2 ? first.finishAuth(searchParams) : first.finishAuth(searchParams.get('code')!));
    await client.connect(open());
  }
  return {
    get protocolVersion() {
      return 'getNegotiatedProtocolVersion' in client
        ? client.getNegotiatedProtocolVersion()
        : (client.transport as TransportV1).protocolVersion;
    },
    listTools: async () => (await client.listTools()).tools,
    callTool: (name, args = {}) => client.callTool({ name, arguments: args as Record<string, unknown> }),
    readResource: async (uri) => {
      const [content] = (await client.readResource({ uri })).contents as { text: string }[];
      return JSON.parse(content!.text);
    },
    listResourceTemplates: async () => (await client.listResourceTemplates()).resourceTemplates,
    listPrompts: async () => (await client.listPrompts()).prompts,
    getPrompt: (name, args) => client.getPrompt({ name, arguments: args }),
    instructions: () => client.getInstructions(),
    close: () => client.close(),
  };
}

/** Data that an application keeps between the steps of OAuth. */
export function oauthProvider(scope: string): OAuthClientProvider & {
  readonly authorizationURL: () => URL;
  readonly granted: () => { access_token: string; refresh_token?: string | undefined };
} {
  const kept: { client?: never; tokens?: never; verifier?: string; url?: URL } = {};
  return {
    redirectUrl: 'http://127.0.0.1:9/callback',
    clientMetadata: {
      client_name: 'Test',
      redirect_uris: ['http://127.0.0.1:9/callback'],
      token_endpoint_auth_method: 'none',
      scope,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void (kept.client = client as never),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens as never),
    redirectToAuthorization: (url) => void (kept.url = url),
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier!,
    authorizationURL: () => kept.url!,
    granted: () => kept.tokens!,
  };
}

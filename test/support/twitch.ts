// A stand-in for Twitch, as far as its clients need it: grants with changing refresh tokens, and our calls.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { afterAll, beforeAll } from 'vitest';
import * as z from 'zod';

/** Body of “Modify Channel Information”. */
const channelChange = z.strictObject({
  title: z.string().min(1).max(140).optional(),
  game_id: z.string().optional(),
  broadcaster_language: z.string().optional(),
  delay: z.int().optional(),
  tags: z
    .array(z.string().regex(/^[\p{L}\p{M}\p{N}]{1,25}$/u))
    .max(10)
    .optional(),
  content_classification_labels: z.array(z.object({ id: z.string(), is_enabled: z.boolean() })).optional(),
  is_branded_content: z.boolean().optional(),
});

const subscription = z.strictObject({
  type: z.string(),
  version: z.string(),
  condition: z.record(z.string(), z.string()),
  transport: z.strictObject({ method: z.literal('webhook'), callback: z.url(), secret: z.string().min(10).max(100) }),
});

export class TestTwitch {
  readonly client = { clientID: 'twitch-client', clientSecret: 'a client secret of Twitch' };
  readonly userID = '141981764';
  readonly key = `live_141981764_${randomUUID()}`;
  channel: z.output<typeof channelChange> = { title: 'before', game_id: '509658', tags: [] };
  viewers: number | null = null;
  subscriptions: z.output<typeof subscription>[] = [];
  readonly #server = createServer();
  readonly #tokens = new Map<string, readonly string[]>();
  #refreshToken = '';

  async start(): Promise<void> {
    const listener = getRequestListener((request) => this.#answer(request));
    this.#server.on('request', (request, response) => void listener(request, response));
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get origins() {
    const origin = `http://127.0.0.1:${this.port}`;
    return { auth: `${origin}/auth`, api: `${origin}/mock`, ingests: origin };
  }

  /** Parameters of the redirect after a user's consent. */
  consent(scopes: readonly string[]) {
    this.#refreshToken = randomUUID();
    return { code: `code of ${this.#refreshToken}`, ...this.#grant(scopes) };
  }

  /** Expires the access tokens. The refresh token stays valid. */
  expire(): void {
    this.#tokens.clear();
  }

  #scopes: readonly string[] = [];

  #grant(scopes: readonly string[]) {
    const access_token = randomUUID();
    this.#scopes = scopes;
    this.#tokens.set(access_token, scopes);
    // Twitch returns its scopes as a list, and may return another refresh token each time.
    return { access_token, refresh_token: this.#refreshToken, expires_in: 14_400, scope: scopes, token_type: 'bearer' };
  }

  async #answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    const text = await request.text();
    switch (`${request.method} ${url.pathname}`) {
      case 'POST /auth/token':
        return this.#token(text === '' ? url.searchParams : new URLSearchParams(text));
      case 'GET /auth/validate':
        return this.#withScope(request, null, (scopes) => ({
          client_id: this.client.clientID,
          login: 'loops',
          scopes,
          user_id: this.userID,
          expires_in: 14_000,
        }));
      case 'GET /ingests':
        return Response.json({
          ingests: [
            { _id: 2, priority: 2, url_template: 'rtmp://far.example.org/app/{stream_key}', default: false },
            {
              _id: 1,
              priority: 1,
              url_template: 'rtmp://near.example.org/app/{stream_key}',
              url_template_secure: 'rtmps://near.example.org:443/app/{stream_key}',
              default: true,
            },
          ],
        });
      case 'GET /mock/users':
        return this.#withScope(request, null, () => ({
          data: [{ id: this.userID, login: 'loops', display_name: 'Loops' }],
        }));
      case 'GET /mock/streams/key':
        return this.#withScope(request, 'channel:read:stream_key', () => ({ data: [{ stream_key: this.key }] }));
      case 'GET /mock/streams':
        return this.#withScope(request, null, () => ({ data: this.#streams(url.searchParams), pagination: {} }));
      case 'PATCH /mock/channels':
        return this.#withScope(request, 'channel:manage:broadcast', () => {
          if (url.searchParams.get('broadcaster_id') !== this.userID) return 401;
          const { data } = channelChange.safeParse(JSON.parse(text));
          if (!data) return 400;
          this.channel = { ...this.channel, ...data };
          return 204;
        });
      case 'POST /mock/eventsub/subscriptions':
        return this.#withScope(request, 'app', () => this.#subscribe(text));
      default:
        return Response.json({ error: 'Not Found', status: 404 }, { status: 404 });
    }
  }

  #token(parameters: URLSearchParams): Response {
    const { clientID, clientSecret } = this.client;
    if (parameters.get('client_id') !== clientID || parameters.get('client_secret') !== clientSecret)
      return Response.json({ status: 403, message: 'invalid client secret' }, { status: 403 });
    const refused = Response.json({ status: 400, message: 'Invalid refresh token' }, { status: 400 });
    switch (parameters.get('grant_type')) {
      case 'client_credentials':
        return Response.json(this.#grant(['app']));
      case 'authorization_code':
        if (parameters.get('code') !== `code of ${this.#refreshToken}`) return refused;
        return Response.json(this.#grant(this.#scopes));
      case 'refresh_token': {
        if (parameters.get('refresh_token') !== this.#refreshToken) return refused;
        this.#refreshToken = randomUUID();
        return Response.json(this.#grant(this.#scopes));
      }
      default:
        return refused;
    }
  }

  #withScope(request: Request, scope: string | null, answer: (scopes: readonly string[]) => object | number): Response {
    const token = /^(?:Bearer|OAuth) (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
    const scopes = this.#tokens.get(token);
    const isOAuth = request.url.includes('/auth/');
    const isClient = isOAuth || request.headers.get('client-id') === this.client.clientID;
    if (!scopes || !isClient || (scope !== null && !scopes.includes(scope)))
      return Response.json({ error: 'Unauthorized', status: 401, message: 'Invalid OAuth token' }, { status: 401 });
    const body = answer(scopes);
    if (typeof body === 'object') return Response.json(body);
    return body === 204 ? new Response(null, { status: 204 }) : Response.json({ status: body }, { status: body });
  }

  #streams(query: URLSearchParams): object[] {
    if (this.viewers === null || !query.getAll('user_id').includes(this.userID)) return [];
    const { title, game_id, tags } = this.channel;
    const user = { user_id: this.userID, user_login: 'loops', user_name: 'Loops' };
    const times = { started_at: new Date().toISOString(), language: 'en', thumbnail_url: '', is_mature: false };
    return [
      { id: '1', ...user, ...times, title, game_id, game_name: '', tags, type: 'live', viewer_count: this.viewers },
    ];
  }

  #subscribe(text: string): object | number {
    const { data } = subscription.safeParse(JSON.parse(text));
    if (!data) return 400;
    const { type, condition } = data;
    const isSame = (other: typeof data) =>
      JSON.stringify([type, condition]) === JSON.stringify([other.type, other.condition]);
    if (this.subscriptions.some(isSame)) return 409;
    this.subscriptions.push(data);
    return { data: [{ id: randomUUID(), status: 'webhook_callback_verification_pending', type, condition }] };
  }
}

/** Starts the stand-in for a test file. */
export function twitchOfTest(): TestTwitch {
  const twitch = new TestTwitch();
  beforeAll(() => twitch.start());
  afterAll(() => twitch.stop());
  return twitch;
}

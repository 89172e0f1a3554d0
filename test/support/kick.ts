// A stand-in for Kick, as far as its clients need it: it answers in the shapes of Kick's documentation.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { afterAll, beforeAll } from 'vitest';

export class TestKick {
  readonly client = { clientID: 'kick', clientSecret: 'a client secret of Kick' };
  readonly userID = '123456789';
  readonly key = 'sk_us-west-2_a-stream-key';
  /** The valid access token. */
  readonly token = 'token';
  requests: { line: string; body: unknown }[] = [];
  publicKey = '';
  isLive = true;
  /** The scopes of the next grants, as Kick reports them. */
  scopes: readonly string[] = [];
  readonly #server = createServer();

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

  get origins() {
    const origin = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return { auth: origin, api: origin };
  }

  /** The last change of the channel's title; null before the first. */
  get named(): unknown {
    return this.requests.findLast(({ line }) => line === 'PATCH /public/v1/channels')?.body ?? null;
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname, search } = new URL(request.url);
    const text = await request.text();
    if (pathname === '/oauth/token') {
      const grant = { access_token: this.token, refresh_token: 'refresh', token_type: 'Bearer', expires_in: 7200 };
      return Response.json({ ...grant, scope: this.scopes.join(' ') });
    }
    this.requests.push({
      line: `${request.method} ${pathname}${search}`,
      body: text === '' ? null : JSON.parse(text),
    });
    if (pathname === '/public/v1/public-key')
      return Response.json({ data: { public_key: this.publicKey }, message: 'OK' });
    if (request.headers.get('authorization') !== `Bearer ${this.token}`) return Response.json({}, { status: 401 });
    if (request.method !== 'GET') return new Response(null, { status: 204 });
    const stream = {
      is_live: this.isLive,
      viewer_count: this.isLive ? 67 : 0,
      url: 'rtmps://fa723fc1b171.global-contribute.live-video.net',
      key: this.key,
      is_mature: false,
    };
    const channel = { broadcaster_user_id: Number(this.userID), slug: 'night loops', stream_title: 'x', stream };
    return Response.json({ data: [channel], message: 'OK' });
  }
}

/** Starts the stand-in for a test file. */
export function kickOfTest(): TestKick {
  const kick = new TestKick();
  beforeAll(() => kick.start());
  afterAll(() => kick.stop());
  return kick;
}

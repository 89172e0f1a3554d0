// A receiver of webhooks on loopback with scripted answers, which verifies events as receivers do.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import type { Certificate } from '../support/certificates.ts';

export interface Received {
  readonly id: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly path: string;
}

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly received: Received[];
  /** Answers the next requests. Default: status 204. */
  answer: (response: ServerResponse, received: Received) => unknown;
  /** Verifies the bodies of all requests so far. @throws if one of them was not signed with the secret */
  verified(secret: string): Payload[];
  /** Resolves once there have been this many requests. */
  has(count: number): Promise<void>;
}

export interface Payload {
  readonly type: string;
  readonly timestamp: string;
  readonly sequence: number;
  readonly data: Record<string, unknown>;
}

/** Starts a receiver. @param certificate makes it use https, on localhost */
export async function startReceiver(certificate?: Certificate): Promise<Receiver> {
  const waiting = new Set<() => void>();
  const listener = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    const one: Received = {
      id: String(request.headers['webhook-id']),
      headers: request.headers as Record<string, string>,
      body,
      path: request.url ?? '',
    };
    receiver.received.push(one);
    for (const look of waiting) look();
    receiver.answer(response, one);
  };
  const server = certificate
    ? createSecureServer({ ...certificate }, (...exchange) => void listener(...exchange))
    : createServer((...exchange) => void listener(...exchange));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the receiver has no port');
  const receiver: Receiver = {
    url: `${certificate ? 'https://localhost' : 'http://127.0.0.1'}:${address.port}/hook`,
    received: [],
    answer: (response) => response.writeHead(204).end(),
    verified: (secret) =>
      receiver.received.map(({ body, headers }) => new Webhook(secret).verify(body, headers) as Payload),
    has: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (receiver.received.length < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return receiver;
}

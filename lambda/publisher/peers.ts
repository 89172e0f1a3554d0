// How agents ask each other whether they can renew their leases.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PeerAnswer } from '../domain/lease.ts';

export interface Peering {
  /** Where to listen; port 0 for any. */
  readonly host: string;
  readonly port: number;
  /** The address that other agents reach it at; null where they cannot. */
  readonly address: string | null;
}

export interface PeerServer {
  /** For other agents; null where they cannot ask. */
  readonly url: string | null;
  close(): void;
}

const answerTimeoutMs = 500;
/** An agent that is new has to be known before anything can happen to the network between them. */
const learnEveryMs = 3000;

/** Where some of the other agents can be asked, as of a moment ago. */
export class KnownPeers {
  urls: readonly string[] = [];
  readonly #load: () => Promise<readonly string[]>;
  readonly #steadyClock: () => number;
  #learntAtMs = -Infinity;

  constructor(load: () => Promise<readonly string[]>, steadyClock: () => number) {
    this.#load = load;
    this.#steadyClock = steadyClock;
  }

  /** To be called every second. */
  async learn(): Promise<void> {
    if (this.#steadyClock() - this.#learntAtMs <= learnEveryMs) return;
    this.urls = await this.#load();
    this.#learntAtMs = this.#steadyClock();
  }
}

/** @param renewingForMs null: it cannot renew */
export async function answerPeers(
  { host, port, address }: Peering,
  renewingForMs: () => number | null,
): Promise<PeerServer> {
  const server = createServer((_request, response) => {
    response
      .writeHead(200, { 'content-type': 'application/json', connection: 'close' })
      .end(JSON.stringify({ renewingForMs: renewingForMs() }));
  });
  server.listen(port, host);
  await once(server, 'listening');
  const url = address === null ? null : `http://${address}:${(server.address() as AddressInfo).port}`;
  return { url, close: () => void server.close() };
}

/** Asks all at once; takes half a second at most. */
export function askPeers(urls: readonly string[]): Promise<PeerAnswer[]> {
  return Promise.all(urls.map(ask));
}

async function ask(url: string): Promise<PeerAnswer> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(answerTimeoutMs) });
    const { renewingForMs } = (await response.json()) as { renewingForMs: unknown };
    return typeof renewingForMs === 'number' || renewingForMs === null ? { renewingForMs } : 'no answer';
  } catch {
    return 'no answer';
  }
}

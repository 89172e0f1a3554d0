// How agents ask each other whether they can renew their leases.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PeerAnswer } from '../../domain/lease.ts';

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
/**
 * How often addresses are read: a new agent has to be known to the others before the network between them can break.
 */
const learnEveryMs = 3000;

/** Addresses of some other agents, read a moment ago, so that they can be asked when the database is away. */
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

/**
 * Answers other agents.
 * @param renewingForMs since when this agent renews its lease, in milliseconds; null: it cannot at present
 */
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

/** Asks all peers at once. It takes half a second at most. */
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

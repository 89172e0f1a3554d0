// How agents ask each other whether they can renew their leases.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PeerAnswer } from '../../domain/fleet/lease.ts';

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
  readonly port: number;
  close(): void;
}

const answerTimeoutMs = 500;
/**
 * How often addresses are read: a new agent has to be known to the others before the network between them can break.
 */
const learnEveryMs = 3000;

export interface KnownPeersOptions {
  /** The URLs of some agents that live. */
  readonly load: () => Promise<readonly string[]>;
  /** The URLs of agents whose lease is over. */
  readonly loadLate: () => Promise<readonly string[]>;
  /** The port at which others can ask this agent; null where they cannot. */
  readonly ownPort: () => number | null;
  readonly steadyClock: () => number;
}

/** An agent that is cut off hears of so many new ones at most. */
const mostIntroduced = 8;

/** Addresses of some other agents, read a moment ago, so that they can be asked when the database is away. */
export class KnownPeers {
  readonly #options: KnownPeersOptions;
  #urls: readonly string[] = [];
  #learntAtMs = -Infinity;

  constructor(options: KnownPeersOptions) {
    this.#options = options;
  }

  get urls(): readonly string[] {
    return this.#urls;
  }

  /**
   * To be called every second. Agents whose lease is over are told of this one: they may be cut off, and have begun
   * when there was no other agent.
   */
  async learn(): Promise<void> {
    const { load, loadLate, ownPort, steadyClock } = this.#options;
    if (steadyClock() - this.#learntAtMs <= learnEveryMs) return;
    const [urls, late] = await Promise.all([load(), loadLate()]);
    this.#urls = urls;
    this.#learntAtMs = steadyClock();
    const port = ownPort();
    // An address that does not answer takes half a second, for which nobody has to wait.
    if (port !== null) void askPeers(late.map((url) => `${url}/?from=${port}`));
  }

  /** Another agent has said that it is there. */
  introduced(url: string): void {
    if (this.#urls.includes(url) || this.#urls.length >= mostIntroduced) return;
    this.#urls = [...this.#urls, url];
  }
}

/**
 * Answers other agents.
 * @param renewingForMs since when this agent renews its lease, in milliseconds; null: it cannot at present
 * @param onIntroduced called with the URL of an agent that says that it is there
 */
export async function answerPeers(
  { host, port, address }: Peering,
  renewingForMs: () => number | null,
  onIntroduced: (url: string) => void,
): Promise<PeerServer> {
  const server = createServer((request, response) => {
    const { from = '' } = /^\/\?from=(?<from>\d{1,5})$/.exec(request.url ?? '')?.groups ?? {};
    // Nobody can introduce another machine than its own.
    const { remoteAddress = '' } = request.socket;
    if (from !== '')
      onIntroduced(`http://${remoteAddress.includes(':') ? `[${remoteAddress}]` : remoteAddress}:${from}`);
    response
      .writeHead(200, { 'content-type': 'application/json', connection: 'close' })
      .end(JSON.stringify({ renewingForMs: renewingForMs() }));
  });
  server.listen(port, host);
  await once(server, 'listening');
  const listensAt = (server.address() as AddressInfo).port;
  const url = address === null ? null : `http://${address}:${listensAt}`;
  return { url, port: listensAt, close: () => void server.close() };
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

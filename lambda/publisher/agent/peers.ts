// The protocol of agents for asking each other over HTTP whether they can renew their leases.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PeerURLs } from '../../data/fleet/agents.ts';
import type { PeerAnswer } from '../../domain/fleet/lease.ts';

export interface Peering {
  /** The address to listen at. Port 0 means any. */
  readonly host: string;
  readonly port: number;
  /** The address at which other agents reach this one; null if they cannot. */
  readonly address: string | null;
}

const answerTimeoutMs = 500;
/** How often addresses are read. A new agent must be known to the others before the network between them can break. */
const learnEveryMs = 3000;

export interface KnownPeersOptions {
  readonly load: () => Promise<PeerURLs>;
  /** The port at which other agents can ask this one; null if they cannot. */
  readonly ownPort: () => number | null;
  readonly steadyClock: () => number;
}

/** Limit of known agents for accepting further ones that introduce themselves. */
const mostIntroduced = 8;

/** Addresses of some other agents, read regularly, so that they can be asked when the database does not answer. */
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
   * Reads the addresses if it is time; call it every second. This agent introduces itself to agents whose lease is
   * over: they may be cut off, and may have begun when there was no other agent.
   */
  async learn(): Promise<void> {
    const { load, ownPort, steadyClock } = this.#options;
    if (steadyClock() - this.#learntAtMs <= learnEveryMs) return;
    const { live, late } = await load();
    this.#urls = live;
    this.#learntAtMs = steadyClock();
    const port = ownPort();
    // An address that does not answer takes half a second, so this is not awaited.
    if (port !== null) void askPeers(late.map((url) => `${url}/?from=${port}`));
  }

  /** Adds another agent that has introduced itself. */
  introduced(url: string): void {
    if (this.#urls.includes(url) || this.#urls.length >= mostIntroduced) return;
    this.#urls = [...this.#urls, url];
  }
}

/**
 * Answers other agents.
 * @param renewingForMs how long this agent has renewed without a failure, in milliseconds; null: it cannot renew now
 * @param onIntroduced called with the URL of an agent that introduces itself
 * @returns the URL for other agents, null if they cannot reach this one
 */
export async function answerPeers(
  { host, port, address }: Peering,
  renewingForMs: () => number | null,
  onIntroduced: (url: string) => void,
) {
  const server = createServer((request, response) => {
    const { from = '' } = /^\/\?from=(?<from>\d{1,5})$/.exec(request.url ?? '')?.groups ?? {};
    // The address is taken from the connection, so a client can only introduce its own machine.
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

/** Asks all peers at once. Takes at most half a second. */
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

// The listener to which contributors push RTMP or RTMPS: it counts connections, and asks the door about their keys.
import { constants } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import type { SecureContext } from 'node:tls';
import type { Log } from '../log.ts';
import { boundTls } from '../ports/outbound/bounded-tls.ts';
import type { ContributionDoor, ContributionProtocol } from './contribution.ts';
import { addressGroup, peerAddress } from './contributor-address.ts';
import { ContributorConnection } from './contributor-connection.ts';
import type { Admission, Arrival, ConnectionEndReason, ContributorHost } from './contributor-host.ts';
import { KeyAdmission } from './key-admission.ts';
import { listenerLimits } from './listener-limits.ts';
import type { ListenerLimits } from './listener-limits.ts';
import { ProxyHeaderError, takeProxyHeader } from './proxy-header.ts';
import { RefusalLog } from './refusal-log.ts';
import type { RefusalReason } from './refusal-log.ts';
import { roomMaker } from './room-makers.ts';
import { AddressDelays } from './address-delays.ts';

const checkEveryMs = 100;
/** Connections that end for these reasons before their key were not refused: health checks, and lost networks. */
const notRefused: ReadonlySet<ConnectionEndReason> = new Set([
  'left',
  'unpublished',
  'connection_lost',
  'listener_closed',
]);

/** Ends of contributors who did what no encoder does. */
const violations: ReadonlySet<ConnectionEndReason> = new Set(['protocol', 'answers_unread', 'too_much_incomplete']);

export interface RtmpListenerOptions {
  readonly door: ContributionDoor;
  /** 0 for any free port. */
  readonly port: number;
  /** Address to listen on; 127.0.0.1 by default. */
  readonly host?: string;
  /** Certificate and key as PEM, for RTMPS; null for RTMP. */
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** True behind a load balancer that begins each connection with a PROXY header, version 2. */
  readonly proxyProtocol: boolean;
  /** Protocol of contributors, if a load balancer ends TLS; without it, the protocol of this listener. */
  readonly protocol?: ContributionProtocol;
  readonly limits?: Partial<ListenerLimits>;
  /** Delays that are shared with other listeners; its own by default. */
  readonly delays?: AddressDelays;
  readonly log: Log;
  /** Milliseconds that never go back. */
  readonly steadyClock: () => number;
}

export interface ListenerFigures {
  /** Open connections, those without a key included. */
  readonly connections: number;
  /** Connections whose media is received. */
  readonly contributing: number;
  /** Connections whose key was accepted, since the start. */
  readonly admitted: number;
  /** Connections that were refused, since the start. */
  readonly refused: number;
  readonly refusedByReason: Readonly<Partial<Record<RefusalReason, number>>>;
  /** Memory of messages whose end has not come yet. */
  readonly incompleteBytes: number;
}

export interface RtmpListener {
  readonly port: number;
  figures(): ListenerFigures;
  /** Disconnects all contributors. Resolves when their receivers know of the end. */
  close(): Promise<void>;
}

/**
 * @throws the system's error, with the code EADDRINUSE if the port is taken; the error of OpenSSL for a certificate or
 * key that cannot be used
 */
export async function openRtmpListener(options: RtmpListenerOptions): Promise<RtmpListener> {
  const listener = new Listener(options);
  await listener.listen();
  return listener;
}

/** One open connection. Before its address is known, it has no group, and before TLS begins, no contributor. */
interface Visitor {
  readonly socket: Socket;
  readonly arrivedAtMs: number;
  group: string | null;
  contributor: ContributorConnection | null;
  /** Bytes that it had sent when the listener looked last, and the time at which there were more than before. */
  bytes: number;
  lastBytesAtMs: number;
}

class Listener implements RtmpListener, ContributorHost {
  readonly limits: ListenerLimits;
  readonly steadyClock: () => number;
  readonly #options: RtmpListenerOptions;
  readonly #server: Server;
  readonly #secureContext: SecureContext | null;
  readonly #delays: AddressDelays;
  readonly #admission: KeyAdmission;
  readonly #refusals: RefusalLog;
  readonly #visitors = new Set<Visitor>();
  readonly #groups = new Map<string, number>();
  #checking: NodeJS.Timeout | undefined;
  #admitted = 0;

  constructor(options: RtmpListenerOptions) {
    this.#options = options;
    this.limits = { ...listenerLimits, ...options.limits };
    this.steadyClock = options.steadyClock;
    this.#delays = options.delays ?? new AddressDelays(this.limits);
    this.#admission = new KeyAdmission({ ...options, limits: this.limits, delays: this.#delays });
    this.#refusals = new RefusalLog(options.log, this.limits.refusalsLoggedPerMinute);
    this.#secureContext =
      options.tls &&
      createSecureContext({
        ...options.tls,
        minVersion: 'TLSv1.2',
        // Each renegotiation costs a handshake, and a stranger could ask for many.
        secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
      });
    this.#server = createServer({ noDelay: true, keepAlive: true }, (socket) => void this.#welcome(socket));
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address ? address.port : this.#options.port;
  }

  async listen(): Promise<void> {
    this.#server.listen(this.#options.port, this.#options.host ?? '127.0.0.1');
    await once(this.#server, 'listening');
    this.#server.on('error', (error) => this.#options.log('contributor_listener_failed', { error }));
    this.#checking = setInterval(() => this.#check(), checkEveryMs);
  }

  figures(): ListenerFigures {
    return {
      connections: this.#visitors.size,
      contributing: this.#contributing(),
      admitted: this.#admitted,
      refused: this.#refusals.count,
      refusedByReason: this.#refusals.countsByReason(),
      incompleteBytes: this.#contributors().reduce((sum, { incompleteBytes }) => sum + incompleteBytes, 0),
    };
  }

  async close(): Promise<void> {
    clearInterval(this.#checking);
    const closed = once(this.#server, 'close');
    this.#server.close();
    const contributors = this.#contributors();
    for (const contributor of contributors) contributor.end('listener_closed');
    for (const { socket } of this.#visitors) socket.destroy();
    await Promise.all([closed, ...contributors.map(({ over }) => over)]);
  }

  admit(arrival: Arrival, key: string, disconnect: () => void): Promise<Admission> {
    return this.#admission.admit(arrival, key, disconnect);
  }

  mostWaitingBytes(): number {
    const { mostWaitingBytes, mostWaitingBytesInAll } = this.limits;
    return Math.min(mostWaitingBytes, mostWaitingBytesInAll / Math.max(1, this.#contributing()));
  }

  boundIncompleteBytes(): void {
    const contributors = this.#contributors();
    let sum = contributors.reduce((total, { incompleteBytes }) => total + incompleteBytes, 0);
    if (sum <= this.limits.mostIncompleteBytesInAll) return;
    for (const contributor of contributors.toSorted((one, other) => other.incompleteBytes - one.incompleteBytes)) {
      if (sum <= this.limits.mostIncompleteBytesInAll) return;
      sum -= contributor.incompleteBytes;
      contributor.end('too_much_incomplete');
    }
  }

  async #welcome(socket: Socket): Promise<void> {
    // A socket without a listener for errors would end the process.
    socket.on('error', () => {});
    const peer = peerAddress(socket.remoteAddress ?? '');
    if (this.#visitors.size >= this.limits.mostConnections && !this.#makeRoom([...this.#visitors]))
      return this.#turnAway(socket, 'too_many_connections', peer);
    const nowMs = this.steadyClock();
    const visitor = { socket, arrivedAtMs: nowMs, group: null, contributor: null, bytes: 0, lastBytesAtMs: nowMs };
    this.#visitors.add(visitor);
    socket.once('close', () => this.#forget(visitor));
    try {
      const header = this.#options.proxyProtocol ? await takeProxyHeader(socket) : null;
      if (socket.destroyed) return;
      this.#receive(visitor, header?.address ?? peer);
    } catch (error) {
      if (error instanceof ProxyHeaderError) this.#turnAway(socket, 'proxy_header', peer);
      else socket.destroy();
    }
  }

  #receive(visitor: Visitor, address: string): void {
    const { socket, arrivedAtMs } = visitor;
    const group = addressGroup(address);
    const isFull = (this.#groups.get(group) ?? 0) >= this.limits.mostConnectionsPerAddress;
    if (isFull && !this.#makeRoom([...this.#visitors].filter((other) => other.group === group)))
      return this.#turnAway(socket, 'too_many_connections_of_address', address);
    this.#groups.set(group, (this.#groups.get(group) ?? 0) + 1);
    visitor.group = group;
    const protocol = this.#options.protocol ?? (this.#secureContext ? 'rtmps' : 'rtmp');
    const arrival = { protocol, address, arrivedAtMs, bytesRead: () => socket.bytesRead } as const;
    visitor.contributor = new ContributorConnection(this.#secured(socket), arrival, this);
    void this.#record(visitor.contributor);
  }

  #secured(socket: Socket): Socket {
    if (!this.#secureContext) return socket;
    const secure = new TLSSocket(socket, { isServer: true, secureContext: this.#secureContext });
    boundTls(secure, socket);
    return secure;
  }

  async #record(contributor: ContributorConnection): Promise<void> {
    const reason = await contributor.over;
    const { address, protocol } = contributor.arrival;
    if (contributor.wasAdmitted) {
      this.#admitted++;
      // Each new connection may send at full rate for a while, so that who breaks a limit has to wait for the next one.
      if (violations.has(reason)) this.#delays.note(addressGroup(address), this.steadyClock());
      this.#options.log('contributor_ended', { reason, address, protocol });
    } else if (!notRefused.has(reason)) this.#refusals.note(reason, address, this.steadyClock());
  }

  /**
   * Ends one of these connections, so that those without a key keep out none that comes with one.
   * @returns false if all have presented their keys
   */
  #makeRoom(visitors: readonly Visitor[]): boolean {
    const nowMs = this.steadyClock();
    for (const visitor of visitors) noteBytes(visitor, nowMs);
    const waiting = visitors
      .filter(({ contributor }) => !contributor?.wasAdmitted)
      .map((visitor) => ({ ...visitor, visitor, isKnown: this.#admission.isKnown(visitor.group ?? '') }));
    const chosen = roomMaker(waiting, nowMs, this.limits.mostConnectionsPerAddress / 2)?.visitor;
    if (!chosen) return false;
    this.#forget(chosen);
    if (chosen.contributor) chosen.contributor.end('made_room');
    else this.#turnAway(chosen.socket, 'made_room', peerAddress(chosen.socket.remoteAddress ?? ''));
    return true;
  }

  #turnAway(socket: Socket, reason: RefusalReason, address: string): void {
    socket.destroy();
    this.#refusals.note(reason, address, this.steadyClock());
  }

  #forget(visitor: Visitor): void {
    if (!this.#visitors.delete(visitor) || visitor.group === null) return;
    const left = this.#groups.get(visitor.group)! - 1;
    if (left > 0) this.#groups.set(visitor.group, left);
    else this.#groups.delete(visitor.group);
  }

  #check(): void {
    const nowMs = this.steadyClock();
    const { handshakeWithinSeconds, keyWithinSeconds } = this.limits;
    const headerWithinMs = 1000 * Math.min(handshakeWithinSeconds, keyWithinSeconds);
    for (const visitor of this.#visitors) {
      const { socket, arrivedAtMs, contributor } = visitor;
      noteBytes(visitor, nowMs);
      if (contributor) contributor.check(nowMs);
      else if (nowMs - arrivedAtMs > headerWithinMs)
        this.#turnAway(socket, 'too_slow', peerAddress(socket.remoteAddress ?? ''));
    }
  }

  #contributors(): ContributorConnection[] {
    return [...this.#visitors].flatMap(({ contributor }) => contributor ?? []);
  }

  #contributing(): number {
    return this.#contributors().filter(({ isContributing }) => isContributing).length;
  }
}

function noteBytes(visitor: Visitor, nowMs: number): void {
  const { bytesRead } = visitor.socket;
  if (bytesRead > visitor.bytes) visitor.lastBytesAtMs = nowMs;
  visitor.bytes = bytesRead;
}

// The callers of an SRT listener whose addresses are proven: found by their sockets, and counted by their addresses.
import { randomInt } from 'node:crypto';
import type { RemoteInfo } from 'node:dgram';
import { addressGroup, peerAddress } from './contributor-address.ts';
import type { SrtContributor } from './srt-contributor.ts';
import type { Conclusion } from './srt-handshake.ts';

/** A caller whose handshake asks for nothing that is refused. */
export interface Visitor {
  readonly remote: RemoteInfo;
  /** In the spelling of `addressOf`. */
  readonly address: string;
  readonly group: string;
  readonly conclusion: Conclusion;
  readonly arrivedAtMs: number;
  /** Bytes of its requests, which a caller repeats until it is answered, and the time of the last one. */
  bytes: number;
  lastBytesAtMs: number;
  /** The number of our socket for it. */
  readonly socketID: number;
  /** The answer, for a caller that repeats its request; null while the door decides. */
  answer: Buffer | null;
  contributor: SrtContributor | null;
  /** Time at which a refused caller is forgotten. */
  forgetAtMs: number;
}

export class SrtVisitors {
  readonly #bySocket = new Map<number, Visitor>();
  readonly #byCaller = new Map<string, Visitor>();
  readonly #groups = new Map<string, number>();

  get count(): number {
    return this.#bySocket.size;
  }

  /** The number of visitors from an IPv4 address, or from a /64 of IPv6. */
  countOf(group: string): number {
    return this.#groups.get(group) ?? 0;
  }

  of(group: string): Visitor[] {
    return [...this.#bySocket.values()].filter((visitor) => visitor.group === group);
  }

  has(visitor: Visitor): boolean {
    return this.#bySocket.get(visitor.socketID) === visitor;
  }

  all(): Iterable<Visitor> {
    return this.#bySocket.values();
  }

  contributors(): SrtContributor[] {
    return [...this.#bySocket.values()].flatMap(({ contributor }) => contributor ?? []);
  }

  /** The visitor that sent a packet to one of our sockets. */
  bySocket(socketID: number, { address, port }: RemoteInfo): Visitor | undefined {
    const visitor = this.#bySocket.get(socketID);
    return visitor?.remote.address === address && visitor.remote.port === port ? visitor : undefined;
  }

  /** The visitor that repeats a request. */
  byCaller(remote: RemoteInfo, socketID: number): Visitor | undefined {
    return this.#byCaller.get(nameOf(remote, socketID));
  }

  /** @param bytes of its first request */
  add(conclusion: Conclusion, remote: RemoteInfo, bytes: number, arrivedAtMs: number): Visitor {
    const address = peerAddress(remote.address);
    const group = addressGroup(address);
    const socketID = this.#freeSocketID();
    const open = { bytes, lastBytesAtMs: arrivedAtMs, answer: null, contributor: null, forgetAtMs: Infinity };
    const visitor: Visitor = { remote, address, group, conclusion, arrivedAtMs, socketID, ...open };
    this.#bySocket.set(socketID, visitor);
    this.#byCaller.set(nameOf(remote, conclusion.socketID), visitor);
    this.#groups.set(group, this.countOf(group) + 1);
    return visitor;
  }

  /** Forgets a visitor; has no effect the second time. */
  forget({ socketID, remote, conclusion, group }: Visitor): void {
    if (!this.#bySocket.delete(socketID)) return;
    this.#byCaller.delete(nameOf(remote, conclusion.socketID));
    const left = this.countOf(group) - 1;
    if (left > 0) this.#groups.set(group, left);
    else this.#groups.delete(group);
  }

  #freeSocketID(): number {
    for (;;) {
      const socketID = randomInt(1, 2 ** 30);
      if (!this.#bySocket.has(socketID)) return socketID;
    }
  }
}

function nameOf({ address, port }: RemoteInfo, socketID: number): string {
  return `${address} ${port} ${socketID}`;
}

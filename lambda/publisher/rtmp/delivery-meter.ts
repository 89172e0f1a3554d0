// How much of what was sent has reached the other side's system, by what Linux says of each TCP connection.
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

export interface MeteredConnection {
  /**
   * Bytes that the other side's system had acknowledged by the last look; null where this system does not tell. The
   * number never falls.
   */
  readonly bytesDelivered: number | null;
}

interface Metered {
  bytesDelivered: number | null;
  /** Both ends of the connection, as the function `endpoints` writes them. */
  readonly endpoints: string;
  /** Bytes handed to the operating system so far. */
  readonly bytesTaken: () => number;
}

/** One look at all connections costs a few milliseconds of a thread, however many there are. */
const lookEveryMs = 250;
/** The kernel's tables of TCP connections (https://docs.kernel.org/networking/proc_net_tcp.html). */
const tables = ['/proc/net/tcp', '/proc/net/tcp6'];
/** A line of a table: the local end, the remote end, and how many bytes wait for an acknowledgement. */
const tableLine = /^ *\d+: (\w+:\w{4}) (\w+:\w{4}) \w\w (\w{8}):/gm;

/** A process has one meter for all of its connections. The meter looks as long as there are any. */
export class DeliveryMeter {
  readonly #metered = new Set<Metered>();
  #isLooking = false;

  /**
   * Measures a connected socket until it closes.
   * @param bytesTaken how many bytes the operating system has taken; it may count fewer than are on the wire, as where
   * it counts before encryption
   */
  add(socket: Socket, bytesTaken: () => number): MeteredConnection {
    const metered: Metered = { bytesDelivered: null, endpoints: endpoints(socket), bytesTaken };
    this.#metered.add(metered);
    socket.once('close', () => this.#metered.delete(metered));
    if (!this.#isLooking) void this.#lookRegularly();
    return metered;
  }

  async #lookRegularly(): Promise<void> {
    this.#isLooking = true;
    while (this.#metered.size > 0) {
      await setTimeout(lookEveryMs, undefined, { ref: false });
      await this.#look();
    }
    this.#isLooking = false;
  }

  async #look(): Promise<void> {
    // This is read before the tables are: what is sent meanwhile then counts as on its way, never as delivered.
    const before = [...this.#metered].map((metered) => ({ metered, bytesTaken: metered.bytesTaken() }));
    const unacknowledged = await readUnacknowledged();
    for (const { metered, bytesTaken } of before) {
      const waiting = unacknowledged.get(metered.endpoints);
      if (waiting !== undefined) metered.bytesDelivered = Math.max(metered.bytesDelivered ?? 0, bytesTaken - waiting);
    }
  }
}

/** Bytes that wait for an acknowledgement, by connection. */
async function readUnacknowledged(): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const text of await Promise.all(tables.map((path) => readFile(path, 'latin1').catch(() => '')))) {
    for (const [, local, remote, waiting] of text.matchAll(tableLine))
      found.set(`${local} ${remote}`, parseInt(waiting!, 16));
  }
  return found;
}

/** Both ends as the kernel writes them. The local end is not enough: connections may share a local port. */
function endpoints({ localAddress, localPort, remoteAddress, remotePort }: Socket): string {
  return `${endpoint(localAddress, localPort)} ${endpoint(remoteAddress, remotePort)}`;
}

function endpoint(address = '0.0.0.0', port = 0): string {
  // The kernel writes an address in words of four bytes, each with its last byte first.
  const words = Buffer.from(addressBytes(address)).swap32();
  return `${words.toString('hex')}:${port.toString(16).padStart(4, '0')}`.toUpperCase();
}

/** The 4 bytes of an IPv4 address, or the 16 of an IPv6 address, however it is spelled. */
function addressBytes(address: string): number[] {
  if (!address.includes(':')) return address.split('.').map(Number);
  const withoutZone = address.replace(/%.*$/, '');
  const [before, after = []] = withoutZone.split('::').map(groupsBytes) as [number[], number[]?];
  const zeros = Array<number>(16 - before.length - after.length).fill(0);
  return [...before, ...zeros, ...after];
}

/** The bytes of some groups of an IPv6 address. The last group may be spelled as an IPv4 address. */
function groupsBytes(groups: string): number[] {
  const words = groups.split(':').filter((group) => group !== '');
  return words.flatMap((word) => {
    if (word.includes('.')) return addressBytes(word);
    const value = parseInt(word, 16);
    return [value >> 8, value & 0xff];
  });
}

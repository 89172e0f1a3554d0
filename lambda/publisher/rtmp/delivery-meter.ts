// How much of what was sent has reached the other side's system: Linux tells of every TCP connection what is not acknowledged yet.
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

export interface MeteredConnection {
  /** Bytes that the other side had acknowledged when this was last looked at; null where the system does not tell. Never falls. */
  readonly bytesDelivered: number | null;
}

interface Metered {
  bytesDelivered: number | null;
  /** As `endpoints` writes them. */
  readonly endpoints: string;
  /** Bytes handed to the operating system so far. */
  readonly bytesTaken: () => number;
}

/** One look at all connections costs a few milliseconds of a thread, however many there are. */
const lookEveryMs = 250;
/** https://docs.kernel.org/networking/proc_net_tcp.html */
const tables = ['/proc/net/tcp', '/proc/net/tcp6'];

/** One for all connections of a process. It looks while there are any. */
export class DeliveryMeter {
  readonly #metered = new Set<Metered>();
  #isLooking = false;

  /** Until the socket, which is connected, closes. @param bytesTaken may be less than the bytes on the wire, as before encryption */
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
    // Before the tables are read: what is sent meanwhile counts as on its way, never as delivered.
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
    for (const [, local, remote, waiting] of text.matchAll(/^ *\d+: (\w+:\w{4}) (\w+:\w{4}) \w\w (\w{8}):/gm)) {
      found.set(`${local} ${remote}`, parseInt(waiting!, 16));
    }
  }
  return found;
}

/** As the kernel writes them: a system's local ports are shared by connections to different addresses. */
function endpoints({ localAddress, localPort, remoteAddress, remotePort }: Socket): string {
  return `${endpoint(localAddress, localPort)} ${endpoint(remoteAddress, remotePort)}`;
}

function endpoint(address = '0.0.0.0', port = 0): string {
  // In words of four bytes, each with its last byte first.
  const words = Buffer.from(addressBytes(address)).swap32();
  return `${words.toString('hex')}:${port.toString(16).padStart(4, '0')}`.toUpperCase();
}

function addressBytes(address: string): number[] {
  if (!address.includes(':')) return address.split('.').map(Number);
  const bytesOf = (groups: string) =>
    groups
      .split(':')
      .filter((group) => group !== '')
      .flatMap((group) =>
        group.includes('.') ? addressBytes(group) : [parseInt(group, 16) >> 8, parseInt(group, 16) & 0xff],
      );
  const [before, after] = address.replace(/%.*$/, '').split('::').map(bytesOf) as [number[], number[]?];
  return [...before, ...Array<number>(16 - before.length - (after?.length ?? 0)).fill(0), ...(after ?? [])];
}

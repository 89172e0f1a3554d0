// The kernel's tables of TCP connections (https://docs.kernel.org/networking/proc_net_tcp.html).
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';

/** A connection of this system, as its tables name it. */
export interface TcpEndpoints {
  /** The table that lists it. */
  readonly table: string;
  /** Both ends as the kernel writes them. The local end is not enough: connections may share a local port. */
  readonly ends: string;
}

/** A line of a table: the local end, the remote end, and how many bytes wait for an acknowledgement. */
const tableLine = /^ *\d+: (\w+:\w{4}) (\w+:\w{4}) \w\w (\w{8}):/gm;

/** Bytes that wait for an acknowledgement, by the `ends` of all connections in some tables; empty off Linux. */
export async function readUnacknowledged(paths: Iterable<string>): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const text of await Promise.all(Array.from(paths, (path) => readFile(path, 'latin1').catch(() => '')))) {
    for (const [, local, remote, waiting] of text.matchAll(tableLine))
      found.set(`${local} ${remote}`, parseInt(waiting!, 16));
  }
  return found;
}

/** @param socket a connected one */
export function endpointsOf({ localAddress, localPort, remoteAddress, remotePort }: Socket): TcpEndpoints {
  return {
    table: localAddress?.includes(':') ? '/proc/net/tcp6' : '/proc/net/tcp',
    ends: `${endpoint(localAddress, localPort)} ${endpoint(remoteAddress, remotePort)}`,
  };
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

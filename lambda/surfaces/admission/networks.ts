// The networks of addresses: limits count these, as a client may use all addresses of its network.
import { isIPv4, isIPv6 } from 'node:net';

/** The network that a provider gives to one customer: an IPv4 address, or the first 64 bits of an IPv6 address. */
export function networkOf(address: string): string {
  const groups = groupsOf(address);
  if (groups === null) return address;
  return isMapped(groups) ? groups.slice(6).join(':') : groups.slice(0, 4).join(':');
}

/**
 * The network that one organisation has at most: the first 24 bits of an IPv4 address, or 48 of an IPv6 address.
 * @returns null for a text that is no address
 */
export function widerNetworkOf(address: string): string | null {
  const groups = groupsOf(address);
  if (groups !== null && !isMapped(groups)) return `${groups.slice(0, 3).join(':')}::/48`;
  const dotted = groups === null ? address : bytesOf(groups.slice(6)).join('.');
  return isIPv4(dotted) ? `${dotted.slice(0, dotted.lastIndexOf('.'))}.0/24` : null;
}

/** The eight groups of an IPv6 address; null for another text. */
function groupsOf(address: string): readonly string[] | null {
  const [unscoped = ''] = address.split('%');
  if (!isIPv6(unscoped)) return null;
  const host = new URL(`http://[${unscoped}]`).hostname.slice(1, -1);
  const [head = '', tail] = host.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(tail === undefined ? 0 : 8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after];
}

/** Whether the last two groups are an IPv4 address. */
const isMapped = (groups: readonly string[]): boolean =>
  groups.slice(0, 5).every((group) => group === '0') && groups[5] === 'ffff';

const bytesOf = (groups: readonly string[]): number[] =>
  groups.flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });

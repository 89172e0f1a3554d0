// Tells guests apart by their addresses, without storing these.
// Decision D232.
import { createHmac } from 'node:crypto';
import { isIPv6 } from 'node:net';

const hashBytes = 16;

/** The keyed hash of a guest. It differs for each stream, so that it does not follow a guest to another one. */
export function guestHash(serviceSecret: string, streamID: string, address: string): Buffer {
  return createHmac('sha256', serviceSecret)
    .update(`guest\n${streamID}\n${networkOf(address)}`)
    .digest()
    .subarray(0, hashBytes);
}

/** The network that a provider gives to one customer: an IPv4 address, or the first 64 bits of an IPv6 address. */
export function networkOf(address: string): string {
  const [unscoped = ''] = address.split('%');
  if (!isIPv6(unscoped)) return address;
  const host = new URL(`http://[${unscoped}]`).hostname.slice(1, -1);
  const [head = '', tail] = host.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = [...before, ...Array<string>(tail === undefined ? 0 : 8 - before.length - after.length).fill('0')];
  const all = [...groups, ...after];
  const isMapped = all.slice(0, 5).every((group) => group === '0') && all[5] === 'ffff';
  return isMapped ? all.slice(6).join(':') : all.slice(0, 4).join(':');
}

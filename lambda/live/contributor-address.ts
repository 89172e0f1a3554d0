// Addresses of contributors: one spelling for each, and the part of it that one contributor has to itself.
import { isIPv6, SocketAddress } from 'node:net';

const mappedPrefix = Buffer.from('00000000000000000000ffff', 'hex');

/** @param bytes the 4 bytes of an IPv4 address, or the 16 of an IPv6 address; IPv4-mapped ones become IPv4 addresses */
export function addressOf(bytes: Buffer): string {
  if (bytes.length === 4) return [...bytes].join('.');
  if (bytes.subarray(0, 12).equals(mappedPrefix)) return [...bytes.subarray(12)].join('.');
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(2 * index).toString(16));
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address;
}

/** The address of a peer as Node gives it, in the spelling of `addressOf`. */
export function peerAddress(address: string): string {
  return /^::ffff:(\d+(?:\.\d+){3})$/i.exec(address)?.[1] ?? address.replace(/%.*$/, '');
}

/**
 * The addresses that count as one: an IPv4 address, or a /64 of IPv6, whose addresses one machine can all use.
 * @param address in the spelling of `addressOf`
 */
export function addressGroup(address: string): string {
  if (!isIPv6(address)) return address;
  const [left = '', right] = address.split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right === undefined || right === '' ? [] : right.split(':');
  const zeros =
    right === undefined ? [] : Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0');
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(':')}::/64`;
}

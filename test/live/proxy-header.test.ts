// PROXY headers of load balancers, their addresses, and the groups of addresses that limits count.
import { describe, expect, it, test } from 'vitest';
import { addressGroup, addressOf, peerAddress } from '../../lambda/live/contributor-address.ts';
import { ProxyHeaderError, readProxyHeader } from '../../lambda/live/proxy-header.ts';

const signature = '0d0a0d0a000d0a515549540a';
const hex = (...parts: string[]) => Buffer.from(parts.join(''), 'hex');
const ports = 'c35e078f';
const tcp4 = hex(signature, '2111000c', 'cb007105', 'c6336402', ports);
const tcp6Of = (address: string) => hex(signature, '21210024', address, '00'.repeat(16), ports);

describe('the header names', () => {
  it.each([
    ['an IPv4 address', tcp4, '203.0.113.5'],
    ['an IPv6 address', tcp6Of('20010db8000000000000000000000001'), '2001:db8::1'],
    ['an IPv4 address in IPv6', tcp6Of('00000000000000000000ffffcb007105'), '203.0.113.5'],
    ['no address of a health check', hex(signature, '20000000'), null],
    ['no address of a health check, whatever it has', hex(signature, '2011000c', '00'.repeat(12)), null],
  ])('%s', (_, bytes, address) => {
    expect(readProxyHeader(bytes)).toEqual({ bytes: bytes.length, address });
    expect(readProxyHeader(Buffer.concat([bytes, Buffer.from('media')]))).toEqual({ bytes: bytes.length, address });
  });

  it('an address before values that are skipped', () => {
    const bytes = hex(signature, '21110013', 'cb007105', 'c6336402', ports, '04000400000000');
    expect(readProxyHeader(bytes)).toEqual({ bytes: 35, address: '203.0.113.5' });
  });
});

it('waits for every byte of a header', () => {
  const waits = Array.from(tcp4, (_, length) => readProxyHeader(tcp4.subarray(0, length)));
  expect(new Set(waits)).toEqual(new Set([null]));
});

test.each([
  ['another protocol', Buffer.of(3)],
  ['version 1 of the protocol', Buffer.from('PROXY TCP4 203.0.113.5 198.51.100.2 50014 1935\r\n')],
  ['a wrong byte in the signature', hex('0d0a0d0a000d0a515549540b')],
  ['version 1 in binary', hex(signature, '1111000c')],
  ['an unknown command', hex(signature, '2211000c')],
  ['UDP', hex(signature, '2112000c')],
  ['a Unix socket', hex(signature, '213100d8')],
  ['no family', hex(signature, '21000000')],
  ['too few bytes for its addresses', hex(signature, '2111000b')],
  ['more bytes than any load balancer sends', hex(signature, '21110401')],
])('refuses %s at once', (_, bytes) => {
  expect(() => readProxyHeader(bytes)).toThrow(ProxyHeaderError);
});

test.each([
  ['203.0.113.5', '203.0.113.5'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2:ffff::', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['2001:db8:0:2::1', '2001:db8:0:2::/64'],
])('%s counts as %s', (address, group) => {
  expect(addressGroup(address)).toBe(group);
});

test.each([
  ['::ffff:203.0.113.5', '203.0.113.5'],
  ['203.0.113.5', '203.0.113.5'],
  ['fe80::1%eth0', 'fe80::1'],
])('the peer %s is %s', (peer, address) => {
  expect(peerAddress(peer)).toBe(address);
});

it('spells an address alike, from a header and from a socket', () => {
  expect(addressOf(hex('20010db800010002000300040005000f'))).toBe('2001:db8:1:2:3:4:5:f');
});

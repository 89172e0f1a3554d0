// Addresses: the public internet is open, our own networks only if the stage allows it, instance metadata never.
import { expect, test } from 'vitest';
import { isAddressAllowed } from '../../../lambda/domain/shared/network-address.ts';

type Reach = 'everywhere' | 'locally' | 'nowhere' | 'in AWS only';

/** The reach of an address. */
function reachOf(address: string): Reach {
  const inAWS = isAddressAllowed(address, { allowPrivateAddresses: false });
  const here = isAddressAllowed(address, { allowPrivateAddresses: true });
  if (inAWS) return here ? 'everywhere' : 'in AWS only';
  return here ? 'locally' : 'nowhere';
}

/** The addresses of a list that are judged differently. */
function exceptions(addresses: readonly string[], reach: Reach): string[] {
  return addresses.filter((address) => reachOf(address) !== reach);
}

test.for([
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '2606:4700:4700::1111',
  '2001:4860:4860::8888',
  '2003::1',
  '::ffff:8.8.8.8',
  '::ffff:808:808',
])('%s is public', (address) => {
  expect(reachOf(address)).toBe('everywhere');
});

test.for([
  ['private', '10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.1', 'fc00::1', 'fd12:3456::1'],
  ['loopback', '127.0.0.1', '127.255.255.255', '::1'],
  ['shared by a carrier', '100.64.0.0', '100.127.255.255'],
  ['for documentation', '192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  [
    'reserved',
    '192.0.0.8',
    '192.88.99.1',
    '198.18.0.0',
    '198.19.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '100::1',
    '5f00::1',
  ],
  ['IPv4-mapped', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.1.2.3', '0:0:0:0:0:ffff:c0a8:1'],
  ['IPv4 inside: compatible, translated', '::7f00:1', '::ffff:0:7f00:1'],
  ['IPv4 inside: NAT64', '64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b:1::a00:1'],
  ['IPv4 inside: 6to4, Teredo', '2002:a00:1::', '2001:0:a00:1::'],
])('%s: only where private addresses are allowed', ([, ...addresses]) => {
  expect(exceptions(addresses, 'locally')).toEqual([]);
});

test.for([
  ['instance and task metadata', '169.254.169.254', '169.254.170.2', 'fd00:ec2::254', 'fd00:ec2::23'],
  ['metadata of other clouds', '100.100.100.200', '168.63.129.16', '192.0.0.192', '::ffff:168.63.129.16'],
  ['metadata as IPv4-mapped', '::ffff:169.254.169.254', '::ffff:a9fe:a9fe'],
  [
    'metadata through a gateway',
    '::169.254.169.254',
    '::ffff:0:a9fe:a9fe',
    '64:ff9b::169.254.169.254',
    '64:ff9b:1::a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
  ],
  ['link-local and site-local', '169.254.0.0', '169.254.255.255', 'fe80::1', 'febf::1', 'fec0::1'],
  ['unspecified', '0.0.0.0', '0.1.2.3', '::', '::ffff:0.0.0.0'],
  ['multicast', '224.0.0.1', '239.255.255.255', 'ff02::1', '::ffff:224.0.0.1'],
  ['no address', '', 'localhost', '2130706433', '0x7f.1', '127.1', '8.8.8.8.', '[::1]', '1.2.3.4/32'],
])('%s: refused everywhere', ([, ...addresses]) => {
  expect(exceptions(addresses, 'nowhere')).toEqual([]);
});

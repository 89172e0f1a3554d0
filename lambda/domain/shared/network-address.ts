// Network addresses that a user may make the platform connect to, and networks that users name.
import { BlockList, isIP, isIPv6 } from 'node:net';

/**
 * Never allowed: link-local addresses, where instance metadata is, AWS's own fd00:ec2::/32, the metadata addresses of
 * other clouds (Alibaba, Azure, Oracle), unspecified and multicast addresses, and IPv6 addresses that lead to an IPv4
 * link-local address through a gateway (IPv4-compatible, translated, NAT64, 6to4).
 */
const never = blockList([
  '0.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  '::/128',
  'fe80::/10',
  'fec0::/10',
  'fd00:ec2::/32',
  'ff00::/8',
  '::a9fe:0/112',
  '::ffff:0:a9fe:0/112',
  '64:ff9b::a9fe:0/112',
  '64:ff9b:1::a9fe:0/112',
  '2002:a9fe::/32',
]);

/** Ranges outside the public internet (IANA special-purpose registries), and IPv6 ranges that embed an IPv4 address. */
const notPublic = blockList([
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '240.0.0.0/4',
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
]);

/** Addresses beyond the public internet that users may make the platform connect to. */
export interface AddressRules {
  /** Allows private and reserved ranges. Link-local, metadata, unspecified and multicast addresses stay refused. */
  readonly allowPrivateAddresses: boolean;
}

/** @param address an IPv4 or IPv6 address; IPv4-mapped ones are judged by their IPv4 address; other text is refused */
export function isAddressAllowed(address: string, { allowPrivateAddresses }: AddressRules): boolean {
  if (isIP(address) === 0) return false;
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  if (never.check(address, family)) return false;
  return allowPrivateAddresses || !notPublic.check(address, family);
}

/**
 * Whether a host is allowed before it is resolved: names of this machine and of private networks are private. The
 * addresses behind a name are checked at each connection.
 * @param host host of a URL, in lower case; IPv6 without brackets
 */
export function isHostAllowed(host: string, rules: AddressRules): boolean {
  const name = host.replace(/\.$/, '');
  if (isIP(name)) return isAddressAllowed(name, rules);
  return rules.allowPrivateAddresses || !/(?:^|\.)localhost$|\.(?:internal|local)$/.test(name);
}

/** Whether a text is a network in CIDR notation, such as 203.0.113.0/24. */
export function isNetwork(text: string): boolean {
  const [address = '', prefix = '', ...more] = text.split('/');
  // An address with a zone, such as fe80::1%eth0, is one of this machine.
  const family = address.includes('%') ? 0 : isIP(address);
  return more.length === 0 && family !== 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 6 ? 128 : 32);
}

/**
 * Whether an address belongs to one of some networks.
 * @param address an IPv4 or IPv6 address; IPv4-mapped ones are judged by their IPv4 address
 * @param networks each holds `isNetwork`
 */
export function isWithin(address: string, networks: readonly string[]): boolean {
  return isIP(address) !== 0 && blockList(networks).check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

function blockList(subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [address, prefix] = subnet.split('/') as [string, string];
    // Not isIPv6(): its first call takes 4 ms, and this code runs whenever a process starts.
    list.addSubnet(address, Number(prefix), address.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
}

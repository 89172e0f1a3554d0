// Which network addresses a destination may have, checked on the very address that is connected to.
import { lookup } from 'node:dns';
import { BlockList, isIPv6 } from 'node:net';
import type { LookupFunction } from 'node:net';
import { DestinationError } from './destination-error.ts';

/** Never a destination: link-local (instance metadata is there), AWS's own fd00:ec2::/32, unspecified, multicast. */
const neverAllowed = blockList(
  '0.0.0.0/8 169.254.0.0/16 224.0.0.0/4 ::/128 fe80::/10 fec0::/10 fd00:ec2::/32 ff00::/8',
);

/** Not on the public internet (IANA special-purpose address registries), with the IPv6 ranges that carry an IPv4 address inside. */
const notPublic = blockList(
  `10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16
   198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 240.0.0.0/4
   ::/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20 5f00::/16 fc00::/7`,
);

/**
 * @param address an IPv4 or IPv6 address, IPv4-mapped ones included
 * @param allowPrivate lets private and reserved ranges through; link-local, metadata, unspecified and multicast stay refused
 * @throws {DestinationError} address_forbidden
 */
export function assertAddressAllowed(address: string, allowPrivate: boolean): void {
  if (!isAllowed(address, allowPrivate)) throw new DestinationError('address_forbidden');
}

/**
 * A lookup for net.connect that gives the first allowed address, IPv4 first: every ingest has one, and half-working IPv6 is common.
 * As the socket connects to what this returns, a name cannot point elsewhere after the check.
 */
export function allowedLookup(allowPrivate: boolean): LookupFunction {
  return (hostname, _options, callback) => {
    lookup(hostname, { all: true, order: 'ipv4first' }, (error, addresses) => {
      if (error) return callback(error, '');
      const allowed = addresses.find(({ address }) => isAllowed(address, allowPrivate));
      return allowed ? callback(null, allowed.address, allowed.family) : callback(new DestinationError('address_forbidden'), '');
    });
  };
}

function isAllowed(address: string, allowPrivate: boolean): boolean {
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  return !neverAllowed.check(address, family) && (allowPrivate || !notPublic.check(address, family));
}

function blockList(subnets: string): BlockList {
  const list = new BlockList();
  for (const [, address, prefix] of subnets.matchAll(/(\S+)\/(\d+)/g)) {
    list.addSubnet(address!, Number(prefix), isIPv6(address!) ? 'ipv6' : 'ipv4');
  }
  return list;
}

// Which network addresses a destination may have, checked on the very address that is connected to.
import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isAddressAllowed } from '../../domain/network-address.ts';
import { DestinationError } from './destination-error.ts';

/**
 * @param address an IPv4 or IPv6 address, IPv4-mapped ones included
 * @throws {DestinationError} address_forbidden
 */
export function assertAddressAllowed(address: string, allowPrivate: boolean): void {
  if (!isAddressAllowed(address, allowPrivate)) throw new DestinationError('address_forbidden');
}

/**
 * A lookup for net.connect that gives the first allowed address, IPv4 first: every ingest has one, and half-working IPv6 is common.
 * As the socket connects to what this returns, a name cannot point elsewhere after the check.
 */
export function allowedLookup(allowPrivate: boolean): LookupFunction {
  return (hostname, _options, callback) => {
    lookup(hostname, { all: true, order: 'ipv4first' }, (error, addresses) => {
      if (error) return callback(error, '');
      const allowed = addresses.find(({ address }) => isAddressAllowed(address, allowPrivate));
      return allowed
        ? callback(null, allowed.address, allowed.family)
        : callback(new DestinationError('address_forbidden'), '');
    });
  };
}

// Which network addresses a destination may have, checked on the very address that is connected to.
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { isAddressAllowed } from '../../domain/network-address.ts';
import type { AddressRules } from '../../domain/network-address.ts';
import type { Resolve } from '../../ports/outbound/checked-lookup.ts';
import { DestinationError } from './destination-error.ts';

/**
 * @param address an IPv4 or IPv6 address, IPv4-mapped ones included
 * @throws {DestinationError} address_forbidden
 */
export function assertAddressAllowed(address: string, rules: AddressRules): void {
  if (!isAddressAllowed(address, rules)) throw new DestinationError('address_forbidden');
}

/**
 * A lookup for net.connect that gives the first allowed address. IPv4 comes first: every ingest has such an address,
 * and IPv6 that half works is common. The socket connects to the address given here, so a name cannot point elsewhere
 * after the check.
 */
export function allowedLookup(resolve: Resolve, rules: AddressRules): LookupFunction {
  const resolveAll = callbackify(resolve);
  return (hostname, _options, callback) => {
    resolveAll(hostname, (error, addresses) => {
      if (error) return callback(error, '');
      const allowed = addresses.find(({ address }) => isAddressAllowed(address, rules));
      if (!allowed) return callback(new DestinationError('address_forbidden'), '');
      return callback(null, allowed.address, allowed.family);
    });
  };
}

// Lookup of users' host names that allows only connections to permitted addresses.
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { isAddressAllowed } from '../../domain/shared/network-address.ts';
import type { AddressRules } from '../../domain/shared/network-address.ts';

/** A host name resolves to a forbidden address. */
export class AddressForbidden extends Error {
  override readonly name = 'AddressForbidden';
}

/** Resolves a host name to its addresses, IPv4 first. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/**
 * Lookup for `net.connect`. The socket connects to one of the checked addresses, so a name cannot change in between. A
 * name with even one forbidden address is refused. Literal addresses in a URL are not looked up; check them with the
 * URL.
 */
export function checkedLookup(resolve: Resolve, rules: AddressRules): LookupFunction {
  const resolveChecked = callbackify(async (hostname: string) => {
    const addresses = await resolve(hostname);
    if (addresses.length === 0) throw Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
    if (!addresses.every(({ address }) => isAddressAllowed(address, rules))) throw new AddressForbidden();
    return addresses;
  });
  return (hostname, options, callback) => {
    resolveChecked(hostname, (error, addresses) => {
      if (error) callback(error, '');
      else if (options.all) callback(null, [...addresses]);
      else callback(null, addresses[0]!.address, addresses[0]!.family);
    });
  };
}

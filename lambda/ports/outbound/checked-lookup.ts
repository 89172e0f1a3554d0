// Resolves host names that users gave us, and lets only such connections through that users may make us open.
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { isAddressAllowed } from '../../domain/shared/network-address.ts';
import type { AddressRules } from '../../domain/shared/network-address.ts';

/** A host name resolves to an address that users may not make us connect to. */
export class AddressForbidden extends Error {
  override readonly name = 'AddressForbidden';
}

/** Resolves a host name to its addresses, those of IPv4 first. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/**
 * A lookup for `net.connect`. The socket connects to one of the addresses that were checked, so a name cannot point
 * elsewhere in between. A name with even one forbidden address is refused. Addresses that stand in a URL itself are not
 * looked up, and have to be checked with the URL.
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

// Resolves names that users gave us for a connection, and lets through only addresses that they may make us connect to.
import { lookup } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { callbackify, promisify } from 'node:util';
import { isAddressAllowed } from '../../domain/network-address.ts';

/** A name leads to an address that users may not make us connect to. */
export class AddressForbidden extends Error {
  override readonly name = 'AddressForbidden';
}

/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

const lookupAll = promisify(lookup);

/** As the operating system resolves names. */
export const resolveBySystem: Resolve = (hostname) => lookupAll(hostname, { all: true, order: 'ipv4first' });

/**
 * A lookup for `net.connect`: the socket connects to one of the very addresses that were checked, so a name cannot point elsewhere in
 * between. A name with even one forbidden address is refused. Literal addresses never come here; they are checked with the URL.
 */
export function checkedLookup(resolve: Resolve, allowPrivateAddresses: boolean): LookupFunction {
  const resolveChecked = callbackify(async (hostname: string) => {
    const addresses = await resolve(hostname);
    if (addresses.length === 0) throw Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' });
    if (!addresses.every(({ address }) => isAddressAllowed(address, allowPrivateAddresses)))
      throw new AddressForbidden();
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

// Resolves the names of sources for a connection, and lets through only addresses that may be imported from.
import { lookup } from 'node:dns';
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { callbackify, promisify } from 'node:util';
import { isAddressAllowed } from '../domain/network-address.ts';
import { ImportError } from './import-error.ts';

/** All addresses of a name, at least one. */
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
    const addresses = await resolve(hostname).catch((error: NodeJS.ErrnoException) => {
      // Only ENOTFOUND is the name's fault; other answers are the resolver's for now.
      throw new ImportError(error.code === 'ENOTFOUND' ? 'name_not_found' : 'source_unreachable', { cause: error });
    });
    if (addresses.length === 0) throw new ImportError('name_not_found');
    if (!addresses.every(({ address }) => isAddressAllowed(address, allowPrivateAddresses))) throw new ImportError('address_forbidden');
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

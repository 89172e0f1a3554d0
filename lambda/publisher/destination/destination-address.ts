// Checks the network address of a destination: the very address that the socket connects to.
import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { isAddressAllowed } from '../../domain/shared/network-address.ts';
import type { AddressRules } from '../../domain/shared/network-address.ts';
import type { Resolve } from '../../ports/outbound/checked-lookup.ts';
import { createNameResolver } from '../../ports/outbound/name-resolver.ts';
import { DestinationError } from './destination-error.ts';

const resolveNames = createNameResolver();

/** Rules for connections to destinations, over every way out. */
export interface DestinationRules extends AddressRules {
  /** Replaces the look-up of names that all connections of this process share. */
  readonly resolve?: Resolve;
  /** PEM certificates to trust in place of the public authorities. */
  readonly tlsCa?: string;
}

/**
 * @param address an IPv4 or IPv6 address, IPv4-mapped ones included
 * @throws {DestinationError} address_forbidden
 */
export function assertAddressAllowed(address: string, rules: AddressRules): void {
  if (!isAddressAllowed(address, rules)) throw new DestinationError('address_forbidden');
}

/**
 * The first allowed address of a host. IPv4 comes first: every ingest has an IPv4 address, and IPv6 often works only in
 * part.
 * @param hostname a name or an address
 * @throws {DestinationError} address_forbidden, name_not_found or name_not_resolved
 */
export async function allowedAddress(
  hostname: string,
  { resolve = resolveNames, ...rules }: DestinationRules,
): Promise<LookupAddress> {
  if (isIP(hostname)) {
    assertAddressAllowed(hostname, rules);
    return { address: hostname, family: isIP(hostname) };
  }
  const addresses = await resolve(hostname).catch((error: unknown) => {
    throw new DestinationError(codeOfLookup(error), error);
  });
  const allowed = addresses.find(({ address }) => isAddressAllowed(address, rules));
  if (!allowed) throw new DestinationError('address_forbidden');
  return allowed;
}

/** The code for an error of a look-up. */
function codeOfLookup(error: unknown): 'name_not_found' | 'name_not_resolved' {
  const isUnknownYet = error instanceof Error && 'code' in error && error.code === 'EAI_AGAIN';
  return isUnknownYet ? 'name_not_resolved' : 'name_not_found';
}

/**
 * A lookup for net.connect that returns the first allowed address. The socket connects to this address, so a name
 * cannot point elsewhere after the check.
 */
export function allowedLookup(rules: DestinationRules): LookupFunction {
  const lookup = callbackify((hostname: string) => allowedAddress(hostname, rules));
  return (hostname, options, callback) => {
    lookup(hostname, (error, found) => {
      if (error) callback(error, '');
      else if (options.all) callback(null, [found]);
      else callback(null, found.address, found.family);
    });
  };
}

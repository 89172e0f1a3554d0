// Resolver of strangers' host names: a name without an answer does not delay other names.
import { Resolver } from 'node:dns/promises';
import type { LookupAddress } from 'node:dns';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { lookups } from '../../domain/shared/outbound-limits.ts';
import type { Resolve } from './checked-lookup.ts';

export interface NameResolverOptions {
  /** Name servers, as ADDRESS or ADDRESS:PORT; absent for those of the system. */
  readonly servers?: readonly string[];
  readonly hostsPath?: string;
  /** Milliseconds of a clock that never jumps. */
  readonly steadyClock?: () => number;
}

/** Errors of c-ares for names without an address; all others may pass. */
const nothingThere = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/**
 * Resolver over c-ares, whose queries wait in no thread: the operating system's lookup has two threads for a process,
 * and hanging names would block all others. Concurrent queries for one name are one query, and a failure is kept for a
 * moment. Names in the hosts file need no query. IPv6 is queried only if there is no IPv4, since half-working IPv6 is
 * common.
 * @returns a function that rejects with code ENOTFOUND for a name that does not exist, and EAI_AGAIN for one that
 *   cannot be resolved now
 */
export function createNameResolver(options: NameResolverOptions = {}): Resolve {
  const { servers, hostsPath = '/etc/hosts', steadyClock = () => performance.now() } = options;
  const { timeoutMs, tries, failureKeptMs, mostNamesKept } = lookups;
  const resolver = new Resolver({ timeout: timeoutMs, tries });
  if (servers) resolver.setServers(servers);
  const underWay = new Map<string, Promise<readonly LookupAddress[]>>();
  const failed = new Map<string, { readonly error: unknown; readonly untilMs: number }>();

  const ask = async (name: string): Promise<readonly LookupAddress[]> => {
    const known = await fromHosts(hostsPath, name);
    if (known.length > 0) return known;
    try {
      return (await resolver.resolve4(name)).map((address) => ({ address, family: 4 }));
    } catch (error) {
      if (codeOf(error) !== 'ENODATA') throw failureOf(name, error);
    }
    const addresses = await resolver.resolve6(name).catch((error: unknown) => Promise.reject(failureOf(name, error)));
    return addresses.map((address) => ({ address, family: 6 }));
  };

  return async (hostname) => {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    if (isIP(name)) return [{ address: name, family: isIP(name) }];
    const failure = failed.get(name);
    if (failure && steadyClock() < failure.untilMs) throw failure.error;
    failed.delete(name);
    const asked = underWay.get(name) ?? ask(name).finally(() => underWay.delete(name));
    underWay.set(name, asked);
    try {
      return await asked;
    } catch (error) {
      if (failed.size >= mostNamesKept) failed.delete(failed.keys().next().value!);
      failed.set(name, { error, untilMs: steadyClock() + failureKeptMs });
      throw error;
    }
  };
}

/** Addresses of a name in the hosts file. `localhost` needs no line there (RFC 6761). */
async function fromHosts(path: string, name: string): Promise<readonly LookupAddress[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const addresses = text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/))
    .filter(([address = '', ...names]) => isIP(address) !== 0 && names.includes(name))
    .map(([address = '']) => ({ address, family: isIP(address) }))
    .sort((a, b) => a.family - b.family);
  if (addresses.length > 0 || !/(?:^|\.)localhost$/.test(name)) return addresses;
  return [
    { address: '127.0.0.1', family: 4 },
    { address: '::1', family: 6 },
  ];
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** An error like that of the operating system's lookup. */
function failureOf(name: string, cause: unknown): Error {
  const code = nothingThere.has(codeOf(cause)) ? 'ENOTFOUND' : 'EAI_AGAIN';
  return Object.assign(new Error(`${name} was not resolved`, { cause }), { code, syscall: 'getaddrinfo' });
}

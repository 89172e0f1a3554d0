// The URLs of the parts of an upload, requested in batches ahead of their use.
import { call, serviceNow } from '../app/api.ts';

export interface PartAddress {
  readonly url: string;
  readonly headers: HeadersInit;
}

interface PartURLs {
  readonly partSizeBytes: number;
  readonly parts: readonly (PartAddress & { readonly partNumber: number; readonly expiresAt: string })[];
}

/** The maximum of one request to the API. */
const mostAtOnce = 100;
/** An address that expires sooner than this is not used. */
const marginMs = 60_000;

/** @returns the size of all parts but the last @throws {ApiError} */
export async function partBytesOf(uploadID: string): Promise<number> {
  return (await ask(uploadID, [1])).partSizeBytes;
}

/**
 * Provides the addresses of parts. Each address is used once: a retry of a part gets a new one.
 * @param missing numbers of the parts to send, in order
 * @returns a function that resolves to the address of a part, and throws {ApiError}
 */
export function partAddresses(uploadID: string, missing: readonly number[]): (part: number) => Promise<PartAddress> {
  let known = new Map<number, PartURLs['parts'][number]>();
  let last: Promise<unknown> = Promise.resolve();
  const take = async (part: number): Promise<PartAddress> => {
    const held = known.get(part);
    const isGood = held !== undefined && Date.parse(held.expiresAt) - serviceNow() > marginMs;
    if (!isGood) {
      const from = missing.indexOf(part);
      const { parts } = await ask(uploadID, missing.slice(from, from + mostAtOnce));
      known = new Map([...known, ...parts.map((each) => [each.partNumber, each] as const)]);
    }
    const address = known.get(part)!;
    known.delete(part);
    return address;
  };
  // Calls are serialized: of lanes that begin together, the first one requests the addresses of all.
  return (part) => {
    const taken = last.then(() => take(part));
    last = taken.catch(() => {});
    return taken;
  };
}

function ask(uploadID: string, partNumbers: readonly number[]): Promise<PartURLs> {
  return call('POST', `/uploads/${uploadID}/part-urls`, { partNumbers }, { isRepeatable: true });
}

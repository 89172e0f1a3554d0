// Where parts of an upload are sent to: asked for many at once, before they are needed.
import { call, serviceNow } from '../app/api.ts';

export interface PartAddress {
  readonly url: string;
  readonly headers: HeadersInit;
}

interface PartURLs {
  readonly partSizeBytes: number;
  readonly parts: readonly (PartAddress & { readonly partNumber: number; readonly expiresAt: string })[];
}

/** As many as the API answers. */
const mostAtOnce = 100;
/** An address that ends sooner is not used any more. */
const marginMs = 60_000;

/** @returns the size of all parts but the last @throws {ApiError} */
export async function partBytesOf(uploadID: string): Promise<number> {
  return (await ask(uploadID, [1])).partSizeBytes;
}

/**
 * The addresses of parts. Each is given once: another attempt at a part gets another.
 * @param missing the parts that are sent, in this order
 * @returns what answers the address of one of them, and throws {ApiError}
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
  // In turn: of lanes that begin at once, the first asks for all.
  return (part) => {
    const taken = last.then(() => take(part));
    last = taken.catch(() => {});
    return taken;
  };
}

function ask(uploadID: string, partNumbers: readonly number[]): Promise<PartURLs> {
  return call('POST', `/uploads/${uploadID}/part-urls`, { partNumbers }, { isRepeatable: true });
}

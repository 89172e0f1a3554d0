// Streams and destinations as people name them: by name, by id, or not at all if there is only one.
import type { Destination, Stream } from '../../lambda/web/app/types.ts';
import type { Client } from './client.ts';
import { LoopFailure } from './failure.ts';

interface Named {
  readonly id: string;
  readonly name: string | null;
}

/** @param given its name or id; undefined: the only one @throws {LoopFailure} if it is none, or several */
export function pick<Thing extends Named>(things: readonly Thing[], given: string | undefined, noun: string): Thing {
  const fits = ({ id, name }: Thing) => id === given || name?.toLowerCase() === given?.toLowerCase();
  const found = given === undefined ? things : things.filter(fits);
  if (found.length === 1) return found[0]!;
  const lines = (found.length > 0 ? found : things).slice(0, 20).map(({ id, name }) => `  ${id}  ${name ?? ''}`);
  if (given === undefined && things.length > 0)
    throw new LoopFailure('usage', `There are ${things.length} ${noun}s. Name one of them:`, { lines });
  if (found.length > 1) throw new LoopFailure('usage', `Several ${noun}s are named ${given}. Use an id:`, { lines });
  const wanted = given === undefined ? `There is no ${noun} yet.` : `There is no ${noun} ${given}.`;
  throw new LoopFailure('not_found', lines.length > 0 ? `${wanted} There are:` : wanted, { lines });
}

/** @throws {LoopFailure} */
export async function findStream(client: Client, given: string | undefined): Promise<Stream> {
  if (given?.startsWith('str_')) return await client.call<Stream>('GET', `/streams/${given}`);
  return pick(await client.all<Stream>('/streams'), given, 'stream');
}

export interface Target {
  /** Name, id, platform or address of a destination; undefined: the only one. */
  readonly to: string | undefined;
  /** Reads the stream key, for a new address. */
  readonly readKey: () => Promise<string>;
  readonly hasKey: boolean;
}

/** A destination that exists, or a new one for an address. @throws {LoopFailure} */
export async function findDestination(client: Client, { to, readKey, hasKey }: Target): Promise<Destination> {
  const all = await client.all<Destination>('/destinations');
  const isAddress = /^\w+:\/\//.test(to ?? '');
  if (isAddress) {
    const same = all.find(({ url, rtmpURL }) => url === to || rtmpURL === to);
    if (same && !hasKey) return same;
    const name = new URL(to!).host;
    return await client.call<Destination>('POST', '/destinations', { name, url: to, streamKey: await readKey() });
  }
  const ofPlatform = all.filter(({ platform }) => platform !== null && platform === to?.toLowerCase());
  return ofPlatform.length === 1 ? ofPlatform[0]! : pick(all, to, 'destination');
}

// The addresses that streams are published to, over every way out.
import type { PublishPlace, PublishServer } from './ways/way-out.ts';
import { wayNameOf, wayNames, wayOf, ways } from './ways/ways.ts';
import type { WayName } from './ways/ways.ts';

export interface PublishURL extends PublishServer {
  readonly way: WayName;
}

/** @returns null for an address that streams cannot be published to */
export function parsePublishURL(url: string): PublishURL | null {
  const way = wayNameOf(url);
  if (way === null) return null;
  const server = ways[way].parse(url);
  return server && { way, secure: server.secure, hostname: server.hostname, port: server.port };
}

/**
 * True if two addresses take a secret to the same place: to the same path of the same server, over the same way.
 * Several customers of one server may have a path each.
 */
export function isSamePlace(one: string, other: string): boolean {
  const [a, b] = [parsePublishURL(one), parsePublishURL(other)];
  if (a === null || b === null || a.secure !== b.secure) return false;
  const placeFor = (url: string) => placeOf({ url, streamKey: 'key', srtStreamID: null });
  return a.way === b.way && placeFor(one) === placeFor(other);
}

/** Whether a stored secret is sent to an address: the stream key, or the passphrase of SRT. */
export function takesSecret(url: string): boolean {
  const way = wayOf(url);
  return way !== null && (way.ownField === 'srt' || way.adviceOnExtraKey(url) === null);
}

/** Advice on an address that `parsePublishURL` refuses. It never repeats the text, which may hold a secret. */
export function adviceOnPublishURL(url: string): string {
  const way = wayOf(url);
  if (way) return way.adviceOn(url);
  const schemes = wayNames.flatMap((name) => ways[name].schemes).map((scheme) => `${scheme}://`);
  return `It must begin with ${schemes.slice(0, -1).join(', ')} or ${schemes.at(-1)}.`;
}

/** Splits an address from a user into the address to store and the stream key; null when it holds no key. */
export function splitPublishURL(url: string): { readonly url: string; readonly streamKey: string | null } {
  return wayOf(url)?.split(url) ?? { url, streamKey: null };
}

/**
 * Names the place of a publisher at a server. Two publishers at one place would end each other.
 * @returns the same text for two spellings of one place; null for an address that streams cannot be published to. The
 * text may hold a stream key
 */
export function placeOf(place: PublishPlace): string | null {
  return wayOf(place.url)?.placeOf(place) ?? null;
}

// Which links a user may import from, as far as the URL alone tells.
// The import worker resolves host names when it connects, and checks the addresses then.
import { isHostAllowed } from '../shared/network-address.ts';
import type { AddressRules } from '../shared/network-address.ts';

export type ImportURLFault = 'malformed' | 'forbidden';

/**
 * What is wrong with a link, or with an address that a link redirects to; null when it may be tried.
 * Every spelling of an IPv4 address (decimal, octal, hexadecimal, shortened) is judged: the WHATWG
 * parser turns them all into the usual one.
 */
export function faultOfImportURL(text: string, rules: AddressRules): ImportURLFault | null {
  const url = URL.parse(text);
  if (!url || url.username !== '' || url.password !== '') return 'malformed';
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'forbidden';
  return isHostAllowed(url.hostname.replace(/^\[(.*)\]$/, '$1'), rules) ? null : 'forbidden';
}

/** A name for people: the last segment of the path, or the host where the path is empty. At most 255 characters. */
export function nameOfImport(url: URL): string {
  const segment = url.pathname.split('/').findLast((part) => part !== '') ?? '';
  return fileNameOf(decoded(segment)) ?? url.hostname.slice(0, maxNameLength);
}

const maxNameLength = 255;

/** Takes folders and control characters out of a file name that a stranger gave. Null when nothing is left. */
export function fileNameOf(text: string): string | null {
  const name = text
    .replaceAll(/\p{Cc}/gu, '')
    .split(/[/\\]/)
    .at(-1)!
    .trim()
    .slice(0, maxNameLength);
  return name === '' ? null : name.toWellFormed();
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

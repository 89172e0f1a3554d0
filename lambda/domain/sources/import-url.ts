// Links that a user may import from, as far as the URL alone decides.
// The import worker resolves host names and checks their addresses when it connects.
import { isHostAllowed } from '../shared/network-address.ts';
import type { AddressRules } from '../shared/network-address.ts';

export type ImportURLFault = 'malformed' | 'forbidden';

/**
 * Fault of a link, or of an address that a link redirects to; null if it may be tried. The WHATWG parser turns every
 * spelling of an IPv4 address (decimal, octal, hexadecimal, shortened) into the usual one before it is judged.
 */
export function faultOfImportURL(text: string, rules: AddressRules): ImportURLFault | null {
  const url = URL.parse(text);
  if (!url || url.username !== '' || url.password !== '') return 'malformed';
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'forbidden';
  return isHostAllowed(url.hostname.replace(/^\[(.*)\]$/, '$1'), rules) ? null : 'forbidden';
}

/** Display name: the last segment of the path, or the host if the path is empty. At most 255 characters. */
export function nameOfImport(url: URL): string {
  const segment = url.pathname.split('/').findLast((part) => part !== '') ?? '';
  return fileNameOf(decoded(segment)) ?? url.hostname.slice(0, maxNameLength);
}

const maxNameLength = 255;

/** A stranger's file name without folders and control characters; null if nothing is left. */
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

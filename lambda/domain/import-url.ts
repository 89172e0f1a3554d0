// Which links a user may name to import from, as far as the URL alone tells. Names are resolved, and checked again, only when connecting.
import { isHostAllowed } from './network-address.ts';

export type ImportURLFault = 'malformed' | 'forbidden';

/**
 * What is wrong with a link, or with what one redirects to; null when it may be tried. The WHATWG parser has turned every other spelling
 * of an IPv4 address (decimal, octal, hexadecimal, shortened) into the usual one before it is looked at.
 */
export function faultOfImportURL(text: string, allowPrivateAddresses: boolean): ImportURLFault | null {
  const url = URL.parse(text);
  if (!url || url.username !== '' || url.password !== '') return 'malformed';
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'forbidden';
  return isHostAllowed(url.hostname.replace(/^\[(.*)\]$/, '$1'), allowPrivateAddresses) ? null : 'forbidden';
}

/** The last segment of the path as a name for people, else the host. At most 255 characters. */
export function nameOfImport(url: URL): string {
  const segment = url.pathname.split('/').findLast((part) => part !== '') ?? '';
  return fileNameOf(decoded(segment)) ?? url.hostname.slice(0, maxNameLength);
}

const maxNameLength = 255;

/** A file name as a stranger gave it, without folders and control characters. Null when nothing is left. */
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

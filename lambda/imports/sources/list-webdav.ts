// Lists a WebDAV folder and those below it, with one PROPFIND each (RFC 4918), as few servers answer for all at once.
import { parseXML } from 'webdav';
import type { DAVResult, DAVResultResponseProps } from 'webdav';
import { isMediaFile, scanBounds, settlingSeconds } from '../../domain/sources/source-scan.ts';
import type { SourceCredentials } from '../../domain/sources/source-url.ts';
import { FileListing } from './file-listing.ts';
import type { ListingRequests } from './listing-requests.ts';
import { refusalOf, ScanError } from './scan-error.ts';
import { authorizationOf } from './source-access.ts';

const asked = {
  method: 'PROPFIND',
  headers: { depth: '1', 'content-type': 'application/xml' },
  body:
    '<?xml version="1.0"?><propfind xmlns="DAV:"><prop><resourcetype/><getcontentlength/><getcontenttype/>' +
    '<getlastmodified/><getetag/></prop></propfind>',
};

/** @throws {ScanError} */
export async function listWebDAV(
  folderURL: string,
  credentials: SourceCredentials | null,
  requests: ListingRequests,
  now: Date,
): Promise<FileListing> {
  const listing = new FileListing();
  const first = asFolder(new URL(folderURL));
  let root: URL | null = null;
  const seen = new Set<string>();
  const folders = [{ url: first, depth: 0 }];
  for (let folder = folders.shift(); folder && listing.isWhole; folder = folders.shift()) {
    if (seen.has(folder.url.href)) continue;
    seen.add(folder.url.href);
    // The folder may be at a host other than the one for which the password was given.
    const secret = folder.url.origin === first.origin ? authorizationOf(credentials) : {};
    const { status, body, url } = await requests.send(folder.url, asked, secret);
    if (status !== 207) throw refusalOf(status);
    const base = asFolder(url);
    // The folder of the first answer. Links to other hosts or out of this folder are not followed.
    root ??= base;
    for (const [href, properties] of await entriesOf(body)) {
      const entry = URL.parse(href, base.href);
      if (!entry || entry.origin !== root.origin || !entry.pathname.startsWith(base.pathname)) continue;
      if (entry.pathname === base.pathname || asFolder(entry).href === base.href) continue;
      if (isFolder(properties)) {
        if (folder.depth + 1 < scanBounds.depth) folders.push({ url: asFolder(entry), depth: folder.depth + 1 });
        else listing.leftOut += 1;
        // More folders than requests are certain to fail, so the scan ends at once.
        if (folders.length > scanBounds.requests)
          throw new ScanError('answer_too_large', { seen: `It has more than ${scanBounds.requests} folders.` });
      } else addFile(listing, entry, root, properties, now);
    }
  }
  return listing;
}

function addFile(listing: FileListing, entry: URL, root: URL, properties: DAVResultResponseProps, now: Date): void {
  const { getcontentlength, getcontenttype, getlastmodified, getetag } = properties;
  const path = decoded(entry.pathname.slice(root.pathname.length));
  const sizeBytes = Number(getcontentlength);
  const type = typeof getcontenttype === 'string' ? getcontenttype : '';
  if (path === null || !(sizeBytes > 0) || !isMediaFile(path.split('/').at(-1)!, type)) return;
  const age = now.getTime() - Date.parse(String(getlastmodified));
  const isSettling = age >= 0 && age < settlingSeconds * 1000;
  // Some servers include the path in the ETag, so it does not identify a renamed file.
  const fingerprint = getlastmodified === undefined ? null : `${sizeBytes} ${getlastmodified}`;
  const version = `${String(getetag)} ${fingerprint ?? sizeBytes}`;
  listing.add({ path, url: entry.href, version, fingerprint, sizeBytes, isSettling });
}

/** Links and properties of the entries of an answer. */
async function entriesOf(body: Buffer): Promise<(readonly [string, DAVResultResponseProps])[]> {
  let result: DAVResult;
  try {
    result = await parseXML(body.toString('utf8'));
  } catch (error) {
    throw new ScanError('answer_malformed', { cause: error });
  }
  const entries = result.multistatus.response as readonly {
    readonly href?: unknown;
    readonly propstat?: { readonly prop?: unknown };
  }[];
  return entries.flatMap(({ href, propstat }) => {
    const properties = propstat?.prop;
    return typeof properties === 'object' && properties !== null
      ? [[String(href), properties as DAVResultResponseProps] as const]
      : [];
  });
}

function isFolder({ resourcetype }: DAVResultResponseProps): boolean {
  return typeof resourcetype === 'object' && resourcetype !== null && 'collection' in resourcetype;
}

function asFolder(url: URL): URL {
  return url.pathname.endsWith('/') ? url : new URL(`${url.pathname}/`, url.origin);
}

function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}

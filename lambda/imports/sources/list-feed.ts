// Lists the episodes with a media file of a podcast in RSS, Atom or JSON Feed.
import { parseFeed } from 'feedsmith';
import { faultOfImportURL, nameOfImport } from '../../domain/sources/import-url.ts';
import type { AddressRules } from '../../domain/shared/network-address.ts';
import { isMediaFile } from '../../domain/sources/source-scan.ts';
import type { SourceCredentials } from '../../domain/sources/source-url.ts';
import { FileListing } from './file-listing.ts';
import type { ListingRequests } from './listing-requests.ts';
import { refusalOf, ScanError } from './scan-error.ts';
import { authorizationOf } from './source-access.ts';

interface Episode {
  readonly id: string | undefined;
  readonly title: string | undefined;
  readonly files: readonly {
    readonly url?: string | undefined;
    readonly type?: string | undefined;
    readonly length?: number | undefined;
  }[];
}

/** @throws {ScanError} */
export async function listFeed(
  feedURL: string,
  credentials: SourceCredentials | null,
  requests: ListingRequests,
  rules: AddressRules,
): Promise<FileListing> {
  const {
    status,
    body,
    url: base,
  } = await requests.send(new URL(feedURL), { headers: {} }, authorizationOf(credentials));
  if (status !== 200) throw refusalOf(status);
  const listing = new FileListing();
  for (const { id, title, files } of episodesOf(body.toString('utf8'))) {
    for (const { url: given = '', type = '', length } of files) {
      const url = URL.parse(given, base.href);
      if (!url || !isMediaFile(nameOfImport(url), type) || faultOfImportURL(url.href, rules) !== null) continue;
      // The query mostly counts listeners, and changes from day to day.
      const where = url.origin + url.pathname;
      const sizeBytes = length !== undefined && Number.isSafeInteger(length) && length > 0 ? length : null;
      const version = `${where} ${sizeBytes}`;
      const name = title?.trim() ? title : nameOfImport(url);
      listing.add({ path: id ?? where, url: url.href, name, version, fingerprint: version, sizeBytes });
      break;
    }
  }
  return listing;
}

function episodesOf(text: string): readonly Episode[] {
  try {
    const { format, feed } = parseFeed(text);
    if (format === 'rss')
      return (feed.items ?? []).map(({ guid, title, enclosures = [] }) => ({
        id: guid?.value,
        title,
        files: enclosures,
      }));
    if (format === 'atom')
      return (feed.entries ?? []).map(({ id, title, links = [] }) => ({
        id,
        title: title?.value,
        files: links.filter(({ rel }) => rel === 'enclosure').map(({ href, ...link }) => ({ ...link, url: href })),
      }));
    if (format === 'json')
      return (feed.items ?? []).map(({ id, title, attachments = [] }) => ({
        id,
        title,
        files: attachments.map(({ url, mime_type: type, size_in_bytes: length }) => ({ url, type, length })),
      }));
  } catch (error) {
    throw new ScanError('answer_malformed', { cause: error });
  }
  throw new ScanError('answer_malformed');
}

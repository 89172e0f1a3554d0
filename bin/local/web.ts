// Serves the web page as CloudFront does: a document at every address of the page, and files that never change.
// Both are compressed for clients that accept it.
import type { IncomingMessage } from 'node:http';
import { extname } from 'node:path';
import { Script } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { languageCookie } from '../../lambda/web/languages.ts';
import { isPagePath } from '../../lambda/web/paths.ts';
import { bundlePages } from '../../lib/shared/bundle-web.ts';
import { contentSecurityPolicy } from '../../lib/shared/page-policy.ts';
import { pageAddressesCode } from '../../lib/web/page-addresses.ts';

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
};

const headers = {
  // Objects are on the site as well.
  'content-security-policy': contentSecurityPolicy(null),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'strict-origin-when-cross-origin',
};

/** @param path path of a request, without its query */
export function isOfPages(path: string): boolean {
  return path.startsWith('/assets/') || isPagePath(path);
}

interface ServedFile {
  readonly plain: Uint8Array;
  readonly compressed: Uint8Array;
}

/** The function that CloudFront runs before it asks the bucket. It chooses the document by the reader's language. */
const beforeBucket = new Script(`${pageAddressesCode}\nhandler`).runInNewContext() as (event: object) => {
  readonly uri: string;
};

function documentFor({ url, headers }: Request): string {
  const [, chosen] = new RegExp(`(?:^|; )${languageCookie}=(\\w+)`).exec(headers.get('cookie') ?? '') ?? [];
  const request = {
    uri: new URL(url).pathname,
    headers: { 'accept-language': { value: headers.get('accept-language') ?? '' } },
    cookies: chosen === undefined ? {} : { [languageCookie]: { value: chosen } },
  };
  return beforeBucket({ context: { eventType: 'viewer-request' }, request }).uri.slice(1);
}

let files: ReadonlyMap<string, ServedFile> | undefined;

/** Whether a browser asks for a document, at an address that is not of the API. It gets the page with 404. */
export function isBrowsing({ method = '', headers }: IncomingMessage, path: string): boolean {
  const isReading = method === 'GET' || method === 'HEAD';
  return isReading && !path.startsWith('/v1/') && /\btext\/html\b/.test(headers.accept ?? '');
}

/** The first request bundles the page. */
export function servePages(request: Request): Response {
  files ??= new Map([...bundlePages().files].map(([path, plain]) => [path, { plain, compressed: gzipSync(plain) }]));
  const { pathname } = new URL(request.url);
  const isAsset = pathname.startsWith('/assets/');
  const name = isAsset ? pathname.slice(1) : documentFor(request);
  const file = files.get(name);
  if (!file || (request.method !== 'GET' && request.method !== 'HEAD'))
    return new Response('There is nothing here.\n', { status: 404, headers });
  const cacheControl = isAsset ? 'public, max-age=31536000, immutable' : 'no-cache';
  const isCompressed = request.headers.get('accept-encoding')?.includes('gzip') ?? false;
  return new Response(Buffer.from(isCompressed ? file.compressed : file.plain), {
    status: isOfPages(pathname) ? 200 : 404,
    headers: {
      ...headers,
      ...(isCompressed && { 'content-encoding': 'gzip' }),
      vary: isAsset ? 'accept-encoding' : 'accept-encoding, accept-language, cookie',
      'content-type': contentTypes[extname(name)] ?? 'application/octet-stream',
      'cache-control': cacheControl,
    },
  });
}

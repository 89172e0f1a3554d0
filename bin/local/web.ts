// Serves the web page as CloudFront does: one document at every address of the page, and files that never change.
import { extname } from 'node:path';
import { isPagePath } from '../../lambda/web/paths.ts';
import { bundlePages } from '../../lib/shared/bundle-web.ts';
import { contentSecurityPolicy } from '../../lib/shared/page-policy.ts';

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

const headers = {
  // Objects are on the site as well.
  'content-security-policy': contentSecurityPolicy(null),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'strict-origin-when-cross-origin',
};

/** @param path of a request, without its query */
export function isOfPages(path: string): boolean {
  return path.startsWith('/assets/') || isPagePath(path);
}

let files: ReturnType<typeof bundlePages>['files'] | undefined;

/** The first request bundles the page. */
export function servePages(request: Request): Response {
  files ??= bundlePages().files;
  const { pathname } = new URL(request.url);
  const isAsset = pathname.startsWith('/assets/');
  const name = isAsset ? pathname.slice(1) : 'index.html';
  const content = files.get(name);
  if (!content || (request.method !== 'GET' && request.method !== 'HEAD'))
    return new Response('There is nothing here.\n', { status: 404, headers });
  const cacheControl = isAsset ? 'public, max-age=31536000, immutable' : 'no-cache';
  return new Response(Buffer.from(content), {
    headers: {
      ...headers,
      'content-type': contentTypes[extname(name)] ?? 'application/octet-stream',
      'cache-control': cacheControl,
    },
  });
}

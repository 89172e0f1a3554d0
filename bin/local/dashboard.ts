// Serves the web page as CloudFront does: its document at every address of its own, its files for ever.
import { extname } from 'node:path';
import { pagePaths } from '../../lambda/dashboard/paths.ts';
import { bundleDashboard } from '../../lib/shared/bundle-dashboard.ts';

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

const headers = {
  'content-security-policy':
    "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'strict-origin-when-cross-origin',
};

export function isOfDashboard(path: string): boolean {
  return path.startsWith('/assets/') || pagePaths.some((page) => page === path);
}

let files: ReturnType<typeof bundleDashboard> | undefined;

/** Bundles it when it is asked for first. */
export function serveDashboard(request: Request): Response {
  files ??= bundleDashboard();
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

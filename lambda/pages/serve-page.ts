// Answers with the web page as CloudFront does: one document at every address, and files that never change.
import { extname } from 'node:path';
import type { APIGatewayProxyResult } from 'aws-lambda';

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};
const yearSeconds = 31_536_000;

/** @param files contents by path; the document is `index.html`, and what it leads to lies below `assets/` */
export function servePage(
  { httpMethod, path }: { readonly httpMethod: string; readonly path: string },
  files: ReadonlyMap<string, string>,
  contentSecurityPolicy: string,
): APIGatewayProxyResult {
  const headers = {
    'content-security-policy': contentSecurityPolicy,
    'strict-transport-security': `max-age=${yearSeconds}; includeSubDomains`,
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'strict-origin-when-cross-origin',
  };
  // A path with a dot is a file's: a page that is gone must not be taken for a script.
  const name = path.includes('.') ? path.slice(1) : 'index.html';
  const body = files.get(name);
  if (body === undefined || (httpMethod !== 'GET' && httpMethod !== 'HEAD'))
    return { statusCode: 404, headers, body: 'There is nothing here.\n' };
  return {
    statusCode: 200,
    headers: {
      ...headers,
      'content-type': contentTypes[extname(name)] ?? 'application/octet-stream',
      'cache-control': name === 'index.html' ? 'no-cache' : `public, max-age=${yearSeconds}, immutable`,
    },
    body,
  };
}

// The page to try GraphQL queries on, and the schema as text. Only browsers get the page: its address is the API's.
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';

interface PageFile {
  readonly contentType: string;
  readonly read: () => string | Buffer;
}

/** Answers a GET for the page or one of its files. @returns whether the request was one, and is answered */
export type GraphqlPage = (request: IncomingMessage, response: ServerResponse) => boolean;

/** The page takes scripts and styles from this origin only, and sends its requests nowhere else. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** @param schemaText in GraphQL's schema definition language */
export function createGraphqlPage(schemaText: string): GraphqlPage {
  const file = (name: string, contentType: string): PageFile => ({
    contentType: `${contentType}; charset=utf-8`,
    read: () => readFileSync(join(import.meta.dirname, name)),
  });
  const files: Readonly<Record<string, PageFile>> = {
    '/graphql': file('index.html', 'text/html'),
    '/graphql/page.css': file('page.css', 'text/css'),
    '/graphql/page.js': file('page.js', 'text/javascript'),
    '/graphql/schema.graphql': { contentType: 'text/plain; charset=utf-8', read: () => schemaText },
  };
  return (request, response) => {
    const path = request.url?.replace(/\?.*$/s, '') ?? '';
    const found = files[path];
    if (!found || request.method !== 'GET') return false;
    const isForBrowser = request.headers.accept?.includes('text/html') ?? false;
    if (path === '/graphql' && !isForBrowser) return false;
    const headers = {
      'content-security-policy': contentSecurityPolicy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    };
    response.writeHead(200, { ...headers, 'content-type': found.contentType }).end(found.read());
    return true;
  };
}

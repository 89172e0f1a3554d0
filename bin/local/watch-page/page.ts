// The watch page for the media that the built-in ingest receives: serves its files, and answers its requests.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Channel } from '../rtmp-sink/channel.ts';

/** The content of the page. */
export interface Watch {
  /** Addresses. Every visitor of the page can read them, so they contain no key. */
  readonly info: { readonly siteURL: string; readonly apiURL: string; readonly rtmpURL: string };
  channels(): readonly Channel[];
  /** Answers a request with a channel as live FLV. */
  serveFlv(channelID: string, request: IncomingMessage, response: ServerResponse): void;
}

interface PageFile {
  readonly path: string;
  readonly contentType: string;
}

const files: Readonly<Record<string, PageFile>> = {
  '/watch': { path: join(import.meta.dirname, 'index.html'), contentType: 'text/html; charset=utf-8' },
  '/watch/page.css': { path: join(import.meta.dirname, 'page.css'), contentType: 'text/css; charset=utf-8' },
  '/watch/page.js': { path: join(import.meta.dirname, 'page.js'), contentType: 'text/javascript; charset=utf-8' },
  '/watch/geist.woff2': {
    path: createRequire(import.meta.url).resolve('@fontsource-variable/geist/files/geist-latin-wght-normal.woff2'),
    contentType: 'font/woff2',
  },
  '/watch/mpegts.js': {
    path: createRequire(import.meta.url).resolve('mpegts.js/dist/mpegts.js'),
    contentType: 'text/javascript; charset=utf-8',
  },
};

const flvPath = /^\/watch\/channels\/([0-9a-f]{12})\.flv$/;

/** The player plays from a blob: URL, as Media Source Extensions do. All other resources come from this origin. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  'media-src blob:',
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const commonHeaders = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
};

/** Answers a GET or HEAD for the page. @returns whether the request was for the page and is answered */
export function serveWatchPage(watch: Watch, request: IncomingMessage, response: ServerResponse): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  const path = request.url?.replace(/\?.*$/s, '') ?? '';
  const channelID = flvPath.exec(path)?.[1];
  const file = files[path];
  if (channelID) watch.serveFlv(channelID, request, response);
  else if (path === '/watch/channels') sendJSON(response, watch.channels());
  else if (path === '/watch/info') sendJSON(response, watch.info);
  else if (file) sendFile(file, request, response);
  else return false;
  return true;
}

function sendJSON(response: ServerResponse, value: unknown): void {
  response
    .writeHead(200, { ...commonHeaders, 'content-type': 'application/json', 'cache-control': 'no-store' })
    .end(JSON.stringify(value));
}

/** The addresses of the files contain no version, so browsers check each time whether a file is current. */
function sendFile({ path, contentType }: PageFile, request: IncomingMessage, response: ServerResponse): void {
  const content = readFileSync(path);
  const etag = `"${createHash('sha256').update(content).digest('base64url')}"`;
  const headers = {
    ...commonHeaders,
    'content-security-policy': contentSecurityPolicy,
    'cache-control': 'no-cache',
    etag,
  };
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304, headers).end();
    return;
  }
  response.writeHead(200, { ...headers, 'content-type': contentType, 'content-length': content.length }).end(content);
}

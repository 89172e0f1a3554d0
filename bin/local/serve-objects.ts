// HTTP for the file object store: signed GET and PUT like S3, but with problem+json instead of XML.
import { createHash } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Log } from '../../lambda/log.ts';
import { byteRange } from '../../lambda/ports/object-store/byte-range.ts';
import type { FileObjectStore } from '../../lambda/ports/object-store/file-object-store.ts';
import {
  assertPutLimits,
  ObjectExists,
  ObjectNotFound,
  PayloadTooLarge,
} from '../../lambda/ports/object-store/object-store.ts';
import { StorageFull } from '../../lambda/ports/object-store/disk-room.ts';
import { MultipartLost } from '../../lambda/domain/media/upload-parts.ts';
import { PartDiffers } from '../../lambda/ports/object-store/file-multiparts.ts';
import type { Grant } from '../../lambda/ports/object-store/object-urls.ts';
import { SignedURLRefused } from '../../lambda/ports/object-store/signed-url.ts';

export interface ServeObjectsOptions {
  /** The only origin whose pages may upload and play, such as `http://127.0.0.1:3000`. */
  readonly allowedOrigin: string;
  readonly log: Log;
}

/**
 * A listener for `node:http`. The server needs `requestTimeout: 0`, because Node's default ends an upload after 5
 * minutes. A signed URL is valid for one method only, so HEAD is refused on a GET URL, as on S3.
 */
export function serveObjects(store: FileObjectStore, { allowedOrigin, log }: ServeObjectsOptions): RequestListener {
  return (request, response) => {
    response.setHeader('vary', 'Origin');
    if (request.headers.origin === allowedOrigin) allowOrigin(response, allowedOrigin);
    void answer(store, request, response).catch((error: unknown) => {
      const problem = problemOf(error);
      // The client or a failed write has closed the connection, so there is no answer.
      const isClosed = response.socket?.destroyed ?? true;
      if (problem.status === 507 || (problem.status === 500 && !isClosed))
        log('object_request_failed', { method: request.method, error: String(error) });
      if (isClosed) return;
      if (response.headersSent) response.destroy();
      else sendProblem(response, problem);
    });
  };
}

async function answer(store: FileObjectStore, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const method = request.method ?? '';
  if (method === 'OPTIONS') {
    response.writeHead(204).end();
    return;
  }
  const grant = store.authorize(method, request.url ?? '');
  refuseUnsigned(request);
  if (grant.method === 'GET') await send(store, grant, request, response);
  else if ('part' in grant) await receivePart(store, grant, request, response);
  else await receive(store, grant, request, response);
}

async function receive(
  store: FileObjectStore,
  { key, limits }: Extract<Grant, { limits: unknown }>,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const { 'content-type': contentType, 'if-none-match': condition } = request.headers;
  const contentLength = lengthOf(request, limits.contentLength);
  if (contentType !== limits.contentType) throw headerRefused('Content-Type', limits.contentType, contentType);
  if (condition !== '*') throw headerRefused('If-None-Match', '*', condition);
  assertPutLimits({ ...limits, contentLength });
  // Refuses a second upload before its bytes arrive. If two begin at the same time, `writeNew` refuses one.
  if (await store.head(key)) throw new ObjectExists('the URL was used already: there is an object');
  await store.assertRoom(contentLength);
  const body = verified(request, request.headersDistinct['content-md5']?.[0]);
  await store.writeNew(key, body, { contentType, contentLength });
  response.writeHead(200).end();
}

/** A repeated part replaces the previous one. The URL states the number and the position of the bytes. */
async function receivePart(
  store: FileObjectStore,
  { key, part }: Extract<Grant, { part: unknown }>,
  request: IncomingMessage,
  response: ServerResponse,
) {
  await store.assertRoom(lengthOf(request, part.contentLength));
  await store.receivePart(key, part, verified(request, request.headersDistinct['content-md5']?.[0]));
  response.writeHead(200).end();
}

/**
 * The header Content-Length, which is the size of the body: Node's parser passes exactly this number of bytes, and
 * fails if the body ends early.
 * @param signed the only accepted length; undefined: any
 */
function lengthOf(request: IncomingMessage, signed: number | undefined): number {
  const sent = request.headers['content-length'];
  if (sent === undefined) throw new LengthRequired('send a Content-Length; chunked uploads are not accepted');
  if (Number(sent) !== (signed ?? Number(sent))) throw headerRefused('Content-Length', String(signed), sent);
  return Number(sent);
}

/**
 * Every `x-amz-` header of a request has to be signed. Our URLs sign none, so checksums and ACLs are refused.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html, “canonical headers”
 */
function refuseUnsigned({ headers }: IncomingMessage): void {
  const unsigned = Object.keys(headers).find((name) => name.startsWith('x-amz-'));
  if (unsigned)
    throw new SignedURLRefused('signature_mismatch', `the request has the header ${unsigned}, which was not signed`);
}

/**
 * The body, which fails at its end if it does not match the header Content-MD5.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html, BadDigest and InvalidDigest
 */
function verified(body: IncomingMessage, digest: string | undefined): Readable {
  if (digest === undefined) return body;
  if (Buffer.from(digest, 'base64').length !== 16) throw new BadDigest('Content-MD5 is not 16 bytes in Base64');
  const hash = createHash('md5');
  const passing = async function* () {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      hash.update(chunk);
      yield chunk;
    }
    if (hash.digest('base64') !== digest) throw new BadDigest('the body does not match Content-MD5');
  };
  return Readable.from(passing());
}

function headerRefused(name: string, signed: string, sent: string | undefined): SignedURLRefused {
  const found = sent === undefined ? 'none' : `${name}: ${sent}`;
  return new SignedURLRefused(
    'signature_mismatch',
    `the URL was signed for ${name}: ${signed}, and the request has ${found}; send the headers that came with the URL`,
  );
}

async function send(
  store: FileObjectStore,
  { key, disposition }: Extract<Grant, { method: 'GET' }>,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const object = await store.open(key);
  if (!object) throw new ObjectNotFound(key);
  const { sizeBytes, contentType } = object.facts;
  const range = byteRange(request.headers.range, sizeBytes);
  if (range === 'unsatisfiable') {
    await object.close();
    response.setHeader('content-range', `bytes */${sizeBytes}`);
    throw new RangeNotSatisfiable(`the object has ${sizeBytes} bytes`);
  }
  const { start, end } = range ?? { start: 0, end: sizeBytes - 1 };
  response.writeHead(range ? 206 : 200, {
    'accept-ranges': 'bytes',
    'content-type': contentType,
    'content-length': end - start + 1,
    ...(range ? { 'content-range': `bytes ${start}-${end}/${sizeBytes}` } : {}),
    ...(disposition === undefined ? {} : { 'content-disposition': disposition }),
    // Objects are on the origin of the web page here. The sandbox keeps an uploaded page from acting as a page of ours.
    'content-security-policy': 'sandbox',
    'x-content-type-options': 'nosniff',
  });
  await pipeline(await object.stream(start, end), response);
}

class BadDigest extends Error {
  override readonly name = 'BadDigest';
}
class LengthRequired extends Error {
  override readonly name = 'LengthRequired';
}
class RangeNotSatisfiable extends Error {
  override readonly name = 'RangeNotSatisfiable';
}

interface Problem {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail: string;
}

function problemOf(error: unknown): Problem {
  const detail = error instanceof Error ? error.message : '';
  if (error instanceof SignedURLRefused) return { status: 403, code: error.code, title: 'Forbidden', detail };
  if (error instanceof ObjectNotFound) return { status: 404, code: 'not_found', title: 'Not found', detail };
  if (error instanceof ObjectExists)
    return { status: 412, code: 'object_exists', title: 'Precondition failed', detail };
  if (error instanceof MultipartLost) return { status: 404, code: 'no_such_upload', title: 'Not found', detail };
  if (error instanceof PartDiffers) return { status: 400, code: 'bad_digest', title: 'Bad request', detail };
  if (error instanceof BadDigest) return { status: 400, code: 'bad_digest', title: 'Bad request', detail };
  if (error instanceof LengthRequired)
    return { status: 411, code: 'length_required', title: 'Length required', detail };
  if (error instanceof RangeNotSatisfiable)
    return { status: 416, code: 'range_not_satisfiable', title: 'Range not satisfiable', detail };
  if (error instanceof PayloadTooLarge)
    return { status: 422, code: 'payload_too_large', title: 'Payload too large', detail };
  if (error instanceof StorageFull || isDiskFull(error))
    return { status: 507, code: 'storage_full', title: 'Insufficient storage', detail: new StorageFull().message };
  return { status: 500, code: 'internal_error', title: 'Internal error', detail: 'the object store failed' };
}

/** Whether a write has found the disk full, or the quota of its user used up. */
function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '');
}

function sendProblem(response: ServerResponse, problem: Problem): void {
  // `about:blank` means that the title explains the problem (RFC 9457, section 4.2.1). The API's own have a page each.
  const body = JSON.stringify({ type: 'about:blank', ...problem });
  response
    .writeHead(problem.status, {
      'content-type': 'application/problem+json',
      'content-length': Buffer.byteLength(body),
    })
    .end(body);
}

function allowOrigin(response: ServerResponse, origin: string): void {
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-allow-methods', 'GET, PUT');
  response.setHeader('access-control-allow-headers', 'content-type, if-none-match, range');
  response.setHeader('access-control-expose-headers', 'accept-ranges, content-length, content-range');
  response.setHeader('access-control-max-age', '600');
}

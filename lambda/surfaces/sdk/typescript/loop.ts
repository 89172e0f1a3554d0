// The part of the TypeScript SDK that is written by hand: retries, problems, pages, waiting, uploads and webhooks.
// The package has it beside the generated functions, one for each operation. It needs Node 20 and nothing else.
import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout } from 'node:timers/promises';

export interface LoopOptions {
  /** URL of the API, which ends in /v1. Default: the environment variable LOOP_API_URL. */
  readonly apiURL?: string;
  /** Default: the environment variable LOOP_API_KEY. */
  readonly apiKey?: string;
  /** Attempts of a request, including the first. Default: 6, which is about half a minute. */
  readonly attempts?: number;
}

/** The settings of a connection, without defaults. */
export interface Connection {
  readonly apiURL: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
}

/** A fault of one field of a request. */
export interface FieldFault {
  /** JSON Pointer of the field. */
  readonly path: string;
  readonly code: string;
  readonly detail: string;
}

/** A refusal of the API, as a problem document (RFC 9457). */
export class LoopProblem extends Error {
  override readonly name = 'LoopProblem';
  /** A stable code, such as `stream_not_ready`. */
  readonly code: string;
  readonly status: number;
  /** The detail of the problem: whose fault it was, and what to do. */
  readonly remedy: string;
  readonly errors: readonly FieldFault[];
  /** The whole document, with the fields of its code, such as `readiness`. */
  readonly document: Readonly<Record<string, unknown>>;

  constructor(status: number, document: Readonly<Record<string, unknown>>) {
    const { code = 'unknown', detail = `The server answered with status ${status}.`, errors = [] } = document;
    super(`${String(code)}: ${String(detail)}`);
    this.code = String(code);
    this.status = status;
    this.remedy = String(detail);
    this.errors = errors as readonly FieldFault[];
    this.document = document;
  }
}

/** Fills in defaults. @throws if there is no API key or no address */
export function connectionOf({ apiURL, apiKey, attempts = 6 }: LoopOptions = {}): Connection {
  const url = apiURL ?? process.env['LOOP_API_URL'];
  const key = apiKey ?? process.env['LOOP_API_KEY'];
  if (!url || !key) throw new Error('Set LOOP_API_URL and LOOP_API_KEY, or the options apiURL and apiKey.');
  return { apiURL: url, headers: { 'x-api-key': key }, fetch: retryingFetch(attempts) };
}

/** An attempt without an answer ends after this time. A part of a file may be on a slow line. */
const [attemptMs, partMs] = [60_000, 300_000];
const longestPauseMs = 60_000;

/**
 * Returns a `fetch` that repeats requests which got no answer, or one that asks for patience. Each POST has an
 * Idempotency-Key, so that a repeated one has no second effect; an empty one is left out. Decision D239.
 * @param authorize adds credentials before each attempt, as they may end between two
 * @throws {LoopProblem} if the API refuses the request
 */
export function retryingFetch(attempts: number, authorize?: (headers: Headers) => Promise<void>): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { headers } = request;
    const isOurs = headers.has('x-api-key') || authorize !== undefined;
    if (isOurs && request.method === 'POST' && !headers.has('idempotency-key'))
      headers.set('idempotency-key', randomUUID());
    if (headers.get('idempotency-key') === '') headers.delete('idempotency-key');
    for (let attempt = 1; ; attempt++) {
      await authorize?.(headers);
      const timeout = AbortSignal.timeout(request.method === 'PUT' ? partMs : attemptMs);
      const signal = AbortSignal.any([request.signal, timeout]);
      let waitSeconds = 0;
      try {
        const response = await fetch(request.clone(), { redirect: 'manual', signal });
        if (response.ok) return response;
        // The address of a picture is at another place, which must not get the API key.
        if (response.status === 302) return await fetch(response.headers.get('location')!);
        const problem = await problemOf(response);
        if (attempt === attempts || !isTransient(problem)) throw problem;
        waitSeconds = Number(response.headers.get('retry-after') ?? 0);
      } catch (error) {
        if (error instanceof LoopProblem || attempt === attempts || request.signal.aborted) throw error;
      }
      // Half of the wait is random, so that clients do not return together.
      const pauseMs = Math.max(waitSeconds * 1000, 500 * 2 ** (attempt - 1) * (0.5 + Math.random() / 2));
      await setTimeout(Math.min(pauseMs, longestPauseMs));
    }
  };
}

async function problemOf(response: Response): Promise<LoopProblem> {
  return new LoopProblem(response.status, Object(await response.json().catch(() => null)) as Record<string, unknown>);
}

function isTransient({ status, code }: LoopProblem): boolean {
  return [429, 500, 502, 503, 504].includes(status) || code === 'idempotency_in_progress';
}

/**
 * Sends a request to the API, and reads its answer.
 * @param key the Idempotency-Key of a POST; undefined: a new one; '': none, as it may run twice and users have a quota
 * @throws {LoopProblem} if the API refuses it
 */
export async function call<Answer>(
  { apiURL, headers, fetch: send }: Connection,
  method: string,
  path: string,
  body?: object,
  key?: string,
): Promise<Answer> {
  const further = {
    ...(body && { 'content-type': 'application/json' }),
    ...(key !== undefined && { 'idempotency-key': key }),
  };
  const init = { method, headers: { accept: 'application/json', ...headers, ...further } };
  const response = await send(apiURL + path, { ...init, ...(body && { body: JSON.stringify(body) }) });
  return (response.status === 204 ? undefined : await response.json()) as Answer;
}

export interface Page<Row> {
  readonly data: readonly Row[];
  readonly page: { readonly nextCursor: string | null; readonly hasMore: boolean };
}

/**
 * Goes through all rows of a list.
 * @param read reads the page of a cursor; undefined: the first page
 */
export async function* rowsOf<Row>(read: (cursor: string | undefined) => Promise<Page<Row>>): AsyncGenerator<Row> {
  let cursor: string | undefined;
  do {
    const { data, page } = await read(cursor);
    yield* data;
    cursor = page.hasMore && page.nextCursor ? page.nextCursor : undefined;
  } while (cursor !== undefined);
}

export interface WaitOptions<Resource> {
  /** Ends the waiting as well, by an error. */
  readonly isFailed?: (resource: Resource) => boolean;
  /** Longest wait. Default: 600. */
  readonly timeoutSeconds?: number;
  /** The error of a resource that is not as wanted then. */
  readonly late?: (resource: Resource) => Error;
  /** Time between two reads. Default: 2. */
  readonly everySeconds?: number;
}

/** Reads a resource until it is as wanted. @throws an error if it failed, or when the time is over */
export async function waitFor<Resource>(
  read: () => Promise<Resource>,
  isDone: (resource: Resource) => boolean,
  {
    isFailed = () => false,
    timeoutSeconds = 600,
    late = () => new Error(`It was not done within ${timeoutSeconds} seconds.`),
    everySeconds = 2,
  }: WaitOptions<Resource> = {},
): Promise<Resource> {
  const endMs = Date.now() + timeoutSeconds * 1000;
  for (;;) {
    const resource = await read();
    if (isDone(resource)) return resource;
    if (isFailed(resource)) throw new Error(`It failed: ${JSON.stringify(resource)}`);
    if (Date.now() >= endMs) throw late(resource);
    await setTimeout(everySeconds * 1000);
  }
}

const partBytes = 16 * 1024 ** 2;

/**
 * Uploads a file in parts, and resumes where an interrupted run ended. Until then, a file beside it remembers the
 * upload.
 * @returns the ID of the upload, whose content is then examined
 */
export async function uploadFile(
  connection: Connection,
  path: string,
  {
    mimeType,
    parallel = 4,
    ...facts
  }: { mimeType: string; parallel?: number; name?: string; folder?: string; tags?: string[] },
): Promise<string> {
  const { size: fileSize, mtimeMs } = await stat(path);
  const memory = `${path}.loop-upload`;
  const known = await readFile(memory, 'utf8').catch(() => '');
  const [knownID = '', version] = known.split(' ');
  const isSame = version === `${fileSize}-${mtimeMs}`;
  const body = { name: basename(path), mimeType, fileSize, multipart: true, ...facts };
  const kept = isSame ? await call<{ id: string }>(connection, 'GET', `/uploads/${knownID}`).catch(deleted) : null;
  const { id } = kept ?? (await call<{ id: string }>(connection, 'POST', '/uploads', body));
  await writeFile(memory, `${id} ${fileSize}-${mtimeMs}`);

  await resumeUpload(connection, id, path, { parallel });
  await rm(memory, { force: true });
  return id;
}

/** An upload that was abandoned for days is deleted. */
function deleted(error: unknown): null {
  if (error instanceof LoopProblem && error.code === 'not_found') return null;
  throw error;
}

export interface ResumeOptions {
  /** Parts that are sent at the same time. */
  readonly parallel?: number;
  /** Called with the bytes of the file that have arrived. */
  readonly onProgress?: (bytes: number) => void;
}

/** Sends the parts of an upload that are missing, and completes it. A file that became shorter is refused. */
export async function resumeUpload(
  connection: Connection,
  id: string,
  path: string,
  { parallel = 4, onProgress = () => {} }: ResumeOptions = {},
): Promise<void> {
  const source = await open(path);
  try {
    const { size } = await source.stat();
    const arrived = await call<{ partNumber: number }[]>(connection, 'GET', `/uploads/${id}/parts`).catch(completed);
    const there = new Set(arrived?.map(({ partNumber }) => partNumber));
    const numbers = Array.from({ length: Math.ceil(size / partBytes) }, (_, index) => index + 1);
    const report = () => onProgress(Math.min(there.size * partBytes, size));
    report();
    let waiting: readonly number[] = arrived ? numbers.filter((number) => !there.has(number)) : [];
    for (;;) {
      const left = waiting.values();
      const lane = async () => {
        for (const number of left) {
          await sendPart(connection, id, number, await readPart(source, number, size)).catch(completed);
          there.add(number);
          report();
        }
      };
      await Promise.all(Array.from({ length: parallel }, lane));
      const missing = await complete(connection, id);
      if (missing === null) return;
      waiting = missing;
    }
  } finally {
    await source.close();
  }
}

/** @returns the numbers of parts that are missing; null: it is complete */
async function complete(connection: Connection, id: string): Promise<readonly number[] | null> {
  try {
    await call(connection, 'POST', `/uploads/${id}/complete`, undefined, '');
    return null;
  } catch (error) {
    if (error instanceof LoopProblem && error.code === 'parts_missing')
      return error.document['partNumbers'] as number[];
    throw error;
  }
}

/** A complete upload has no parts any more; another process may have completed it. */
function completed(error: unknown): null {
  if (error instanceof LoopProblem && error.code === 'resource_in_use') return null;
  throw error;
}

async function readPart(source: FileHandle, number: number, size: number): Promise<Buffer> {
  const start = (number - 1) * partBytes;
  const bytes = Buffer.alloc(Math.min(partBytes, size - start));
  const { bytesRead } = await source.read(bytes, 0, bytes.length, start);
  if (bytesRead < bytes.length) throw new Error('The file became shorter while it was sent.');
  return bytes;
}

const partAttempts = 3;

/** Sends a part, with a new URL for each of three attempts, because URLs expire. */
async function sendPart(connection: Connection, id: string, partNumber: number, bytes: Buffer): Promise<void> {
  const body = { partNumbers: [partNumber], sha256: [createHash('sha256').update(bytes).digest('base64')] };
  for (let attempt = 1; ; attempt++) {
    const { parts } = await call<{ parts: { url: string; method: string; headers: Record<string, string> }[] }>(
      connection,
      'POST',
      `/uploads/${id}/part-urls`,
      body,
      '',
    );
    const { url, method, headers } = parts[0]!;
    try {
      // The store must not get the credentials of the API.
      await retryingFetch(partAttempts)(url, { method, headers, body: new Uint8Array(bytes) });
      return;
    } catch (error) {
      if (attempt === partAttempts) throw error;
    }
  }
}

export interface WebhookEvent {
  /** A type of events, such as `stream.state_changed`. */
  readonly type: string;
  readonly data: unknown;
}

/**
 * Verifies a message of a webhook by Standard Webhooks, and returns its event.
 * @param body the bytes as they came, before any parser
 * @throws if no signature is by this secret, or the message is older than five minutes
 */
export function verifyWebhook(
  secret: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: string,
  now = new Date(),
): WebhookEvent {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    String(headers[name] ?? ''),
  ) as [string, string, string];
  if (!(Math.abs(now.getTime() / 1000 - Number(timestamp)) <= 300)) throw new Error('The message is too old.');
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  const isBySecret = signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64');
    return signature.startsWith('v1,') && given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isBySecret) throw new Error('No signature of the message is by this secret.');
  return JSON.parse(body) as WebhookEvent;
}

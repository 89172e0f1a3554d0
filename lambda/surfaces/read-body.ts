// Reads the JSON body of a request, up to a maximum size.
import type { Operation } from '../operations/operation.ts';
import { ProblemError } from '../operations/problem-codes.ts';

/**
 * The maximum size of a body. The largest bodies that clients need are batches of 500 playlist operations of some
 * hundred bytes each.
 */
const maxBodyBytes = 1024 * 1024;
/** The maximum size of a body of a guest, who names one item. */
const maxGuestBodyBytes = 4096;

/**
 * Reads and parses the body.
 * @returns undefined for an operation without a body; an empty object in place of an optional one that is left out
 * @throws {ProblemError} as readJSON, or unknown_field
 */
export async function readBody(request: Request, operation: Operation): Promise<unknown> {
  if (request.method === 'GET' || request.method === 'HEAD' || request.method === 'DELETE') return undefined;
  if (operation.isForGuests) return readJSON(request, maxGuestBodyBytes);
  if (operation.body && !operation.isBodyOptional) return readJSON(request);
  const bytes = await readBounded(request);
  if (operation.body) return bytes.length === 0 ? {} : parseJSON(request, bytes);
  const text = bytes.toString().trim();
  if (text === '' || (text.startsWith('{') && text.endsWith('}') && text.slice(1, -1).trim() === '')) return undefined;
  const detail = 'This operation has no body. Send none, or an empty object.';
  throw new ProblemError('unknown_field', detail, { errors: [{ path: '', code: 'unknown_field', detail }] });
}

/**
 * Reads a JSON body.
 * @throws {ProblemError} malformed_json, payload_too_large
 */
export async function readJSON(request: Request, mostBytes = maxBodyBytes): Promise<unknown> {
  return parseJSON(request, await readBounded(request, mostBytes));
}

function parseJSON(request: Request, bytes: Buffer): unknown {
  const [mediaType, ...parameters] = (request.headers.get('content-type') ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  const charset =
    parameters.find((parameter) => parameter.startsWith('charset='))?.replaceAll(/^charset=|"/g, '') ?? 'utf-8';
  if (mediaType !== 'application/json' || charset !== 'utf-8') {
    throw new ProblemError('malformed_json', 'Send the body as JSON in UTF-8, with Content-Type: application/json.');
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new ProblemError(
      'malformed_json',
      bytes.length === 0
        ? 'This operation needs a body. Send a JSON object.'
        : 'The body is not valid JSON in UTF-8. Is it complete?',
      { cause },
    );
  }
}

/**
 * Reads all bytes of a body.
 * @throws {ProblemError} payload_too_large, or malformed_json if the body ends early
 */
export async function readBounded(request: Request, mostBytes = maxBodyBytes): Promise<Buffer<ArrayBuffer>> {
  const tooLarge = () =>
    new ProblemError(
      'payload_too_large',
      `A body may have at most ${mostBytes} bytes. Split it into several requests. Send media to an upload URL.`,
    );
  const length = request.headers.get('content-length');
  if (Number(length ?? 0) > mostBytes) throw tooLarge();
  // To make a stream of a small body would take longer than all else.
  const reading =
    length === null ? readStream(request, mostBytes) : request.arrayBuffer().then((bytes) => Buffer.from(bytes));
  const bytes = await reading.catch((cause: unknown) => {
    throw new ProblemError('malformed_json', 'The body ended before it was complete. Send it again.', { cause });
  });
  if (bytes.length > mostBytes) throw tooLarge();
  return bytes;
}

/** Reads all bytes of a body for an endpoint without problem codes. @returns null if it has more, or ends early */
export function boundedBody(request: Request, mostBytes: number): Promise<Buffer<ArrayBuffer> | null> {
  return readBounded(request, mostBytes).catch((error: unknown) => {
    if (error instanceof ProblemError) return null;
    throw error;
  });
}

/** Reads a body of unknown length until its end, or until there is too much. */
async function readStream(request: Request, mostBytes: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of request.body ?? []) {
    chunks.push(chunk);
    total += chunk.length;
    if (total > mostBytes) break;
  }
  return Buffer.concat(chunks);
}

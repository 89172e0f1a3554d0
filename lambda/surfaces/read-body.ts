// Reads a request's JSON body, bounded.
import type { Operation } from '../operations/operation.ts';
import { ProblemError } from '../operations/problem-codes.ts';

/** Far above the largest batch of playlist operations (500 of some hundred bytes). */
const maxBodyBytes = 1024 * 1024;

/** The parsed body; undefined for an operation that takes none. */
export async function readBody(request: Request, operation: Operation): Promise<unknown> {
  if (request.method === 'GET' || request.method === 'HEAD' || request.method === 'DELETE') return undefined;
  const bytes = await readBounded(request);
  if (!operation.body) {
    if (bytes.length === 0 || /^\s*(\{\s*\})?\s*$/.test(bytes.toString())) return undefined;
    throw new ProblemError('unknown_field', 'This operation takes no body.', {
      errors: [{ path: '', code: 'unknown_field', detail: 'This operation takes no body.' }],
    });
  }
  const mediaType = request.headers.get('content-type')?.split(';')[0]!.trim().toLowerCase();
  if (mediaType !== 'application/json') throw new ProblemError('malformed_json', 'Send the body as Content-Type: application/json.');
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new ProblemError('malformed_json', 'The body is not valid JSON in UTF-8.', { cause });
  }
}

async function readBounded(request: Request): Promise<Buffer> {
  const tooLarge = () => new ProblemError('payload_too_large', `A body holds at most ${maxBodyBytes} bytes.`);
  if (Number(request.headers.get('content-length') ?? 0) > maxBodyBytes) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of request.body ?? []) {
    total += chunk.length;
    if (total > maxBodyBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

// A request to a platform's API: bounded in time, its answer bounded and checked, refusals in our words.
import type * as z from 'zod';
import { PlatformRefusal } from './managed-platform.ts';
import type { RefusalCode } from '../../domain/channels/mirror-retries.ts';

const timeoutMs = 10_000;
/** Answers about one channel are a few kilobytes. */
const maxAnswerBytes = 1024 * 1024;

export interface PlatformRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as JSON, except bytes, whose `content-type` is in the headers. */
  readonly body?: object | Uint8Array;
}

/** Reads the reason of a platform's refusal. @param body parsed from JSON; undefined for other bodies */
export type ReadRefusal = (status: number, body: unknown, retryAt: Date | null) => PlatformRefusal;

/**
 * Sends a request and returns the part of the answer that `schema` names. The rest is dropped here, so a secret that a
 * platform adds to its answers goes nowhere.
 * @throws {PlatformRefusal}
 */
export async function askPlatform<Schema extends z.ZodType>(
  url: URL,
  { method = 'GET', headers, body }: PlatformRequest,
  schema: Schema,
  readRefusal: ReadRefusal,
): Promise<z.output<Schema>> {
  const response = await fetchBounded(url, {
    method,
    headers: { accept: 'application/json', ...(body && { 'content-type': 'application/json' }), ...headers },
    body: body instanceof Uint8Array ? new Uint8Array(body) : body ? JSON.stringify(body) : null,
  });
  const parsed = parseJSON(await response.text());
  if (!response.ok) throw readRefusal(response.status, parsed, retryAtOf(response.headers));
  const { data, error } = schema.safeParse(parsed);
  if (error) {
    const places = error.issues.map(({ path }) => path.join('.') || 'its root').join(', ');
    throw new PlatformRefusal('unavailable', `an answer is not as documented at ${places}`);
  }
  return data;
}

/**
 * `fetch` for a platform that may hang, send endlessly, or redirect: no redirects, ten seconds, 1 MiB.
 * @throws {PlatformRefusal} unavailable
 */
export async function fetchBounded(url: URL | string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs) });
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body ?? []) {
      size += chunk.byteLength;
      if (size > maxAnswerBytes) throw new Error('the answer is too large');
      chunks.push(chunk);
    }
    const { status, headers } = response;
    // A Response has no body at these statuses.
    return new Response([204, 205, 304].includes(status) ? null : Buffer.concat(chunks), { status, headers });
  } catch (cause) {
    const reason = cause instanceof Error && cause.name === 'TimeoutError' ? 'no answer in time' : 'no answer';
    throw new PlatformRefusal('unavailable', reason, { cause });
  }
}

/** Retry-After in seconds, a day ahead at most; null without one. */
export function retryAtOf(headers: Headers, now = Date.now()): Date | null {
  const value = headers.get('retry-after') ?? '';
  return /^\d{1,5}$/.test(value) ? new Date(now + Math.min(Number(value), 86_400) * 1000) : null;
}

function parseJSON(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** For platforms whose reasons are words for people: the status alone decides. */
export const readPlainRefusal: ReadRefusal = (status, _body, retryAt) =>
  new PlatformRefusal(codeOfStatus(status), `status ${status}`, { retryAt });

/** Code of a status without a known reason. */
export function codeOfStatus(status: number): RefusalCode {
  if (status === 401) return 'grant_revoked';
  if (status === 429) return 'rate_limited';
  return status >= 500 ? 'unavailable' : 'rejected';
}

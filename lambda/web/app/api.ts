// Calls the REST API with the session of the page, and turns refusals into messages.
import { entryWords } from '#words/entry.ts';

/** The API refused, or did not answer. The message is for the user. */
export class ApiError extends Error {
  override name = 'ApiError';
  /** The problem's code, such as stream_not_ready; empty if there was no answer. */
  readonly code: string;
  readonly status: number;
  /** Seconds until the API wants the next attempt; 0 if it names none. */
  readonly retryAfterSeconds: number;
  /** The faults of the request's fields. `path` is a JSON pointer. */
  readonly errors: readonly { readonly path: string; readonly detail: string }[];

  constructor(message: string, problem: Partial<Omit<ApiError, keyof Error>> = {}) {
    super(message);
    this.code = problem.code ?? '';
    this.status = problem.status ?? 0;
    this.retryAfterSeconds = problem.retryAfterSeconds ?? 0;
    this.errors = problem.errors ?? [];
  }
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

let aheadMs = 0;

/** The time by the service's clock, from its last answer. The computer's clock may be minutes off. */
export function serviceNow(): number {
  return Date.now() + aheadMs;
}

interface CallOptions {
  /** It may run twice without harm, so it needs no idempotency key; users have a quota of keys. */
  readonly isRepeatable?: boolean;
}

/**
 * Calls an operation. A POST has an idempotency key, so that a repetition by the browser has no effect.
 * @param path below /v1, such as `/streams`
 * @returns the answer; undefined if the operation has none
 * @throws {ApiError}
 */
export async function call<Answer>(
  method: Method,
  path: string,
  body?: object,
  { isRepeatable = false }: CallOptions = {},
): Promise<Answer> {
  const response = await fetch(`/v1${path}`, {
    method,
    headers: {
      accept: 'application/json',
      ...(body && { 'content-type': 'application/json' }),
      ...(method === 'POST' && !isRepeatable && { 'idempotency-key': crypto.randomUUID() }),
    },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  }).catch(() => null);
  if (response === null) throw new ApiError(entryWords.noAnswer);
  adjustClock(response.headers.get('date'));
  if (response.status === 204) return undefined as Answer;
  const answer = (await response.json().catch(() => null)) as (Answer & Record<string, unknown>) | null;
  if (response.ok && answer !== null) return answer;
  if (response.status === 401) toSignIn();
  const detail = answer?.['detail'];
  const message = typeof detail === 'string' ? detail : entryWords.requestFailed;
  const retryAfterSeconds = Number(response.headers.get('retry-after') ?? 0);
  throw new ApiError(message, { ...answer, status: response.status, retryAfterSeconds });
}

/** The date of an answer has whole seconds, so it is half a second early on average. */
function adjustClock(date: string | null): void {
  const at = Date.parse(date ?? '');
  if (!Number.isNaN(at) && Math.abs(at + 500 - serviceNow()) > 1500) aheadMs = at + 500 - Date.now();
}

/** Leads to the sign-in page once the session is over. After signing in, the user returns to this address. */
function toSignIn(): void {
  location.assign(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
}

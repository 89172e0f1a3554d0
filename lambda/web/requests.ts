// Sends requests to the authorization server with the session's cookie, and turns refusals into messages.
import { entryWords } from '#words/entry.ts';

/** A request failed. The message is for the user. */
export class RequestError extends Error {
  override name = 'RequestError';
  /** The server's code, such as EMAIL_NOT_VERIFIED; empty if the server did not answer. */
  readonly code: string;
  readonly status: number;

  constructor(message: string, code: string, status: number) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

/**
 * Whether the signature of an authorization request has expired. It is valid for some minutes. The page then begins
 * the authorization again by itself.
 */
export function isTooOld({ code }: RequestError): boolean {
  return code === 'invalid_signature';
}

/** @throws {RequestError} */
export function get<Answer>(path: string): Promise<Answer> {
  return send<Answer>(path, { method: 'GET' });
}

/** @throws {RequestError} */
export function post<Answer>(path: string, body: object = {}): Promise<Answer> {
  return send<Answer>(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function send<Answer>(
  path: string,
  init: Omit<RequestInit, 'headers'> & { readonly headers?: Record<string, string> },
): Promise<Answer> {
  const response = await fetch(`/api/auth${path}`, {
    ...init,
    headers: { accept: 'application/json', ...init.headers },
  }).catch(() => null);
  if (!response) throw new RequestError(entryWords.noAnswer, '', 0);
  const answer = (await response.json().catch(() => null)) as
    | (Answer & { code?: string; error?: string; message?: string })
    | null;
  if (response.ok) return answer as Answer;
  if (response.status === 429) throw new RequestError(entryWords.tooMany, 'RATE_LIMITED', 429);
  const code = answer?.code ?? answer?.error ?? '';
  const message = entryWords.refusals[code] ?? answer?.message ?? entryWords.failed;
  throw new RequestError(message, code, response.status);
}

// Sends requests to the authorization server with the session's cookie, and turns refusals into messages.

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

const words: Readonly<Record<string, string>> = {
  INVALID_EMAIL_OR_PASSWORD: 'The address or the password is wrong.',
  EMAIL_NOT_VERIFIED: 'Your address is not confirmed yet. We have just sent you another mail with a link.',
  INVALID_PASSWORD: 'The password is wrong.',
  INVALID_EMAIL: 'This is not an e-mail address.',
  PASSWORD_TOO_SHORT: 'The password has to have 10 characters at least.',
  PASSWORD_TOO_LONG: 'The password may have 128 characters at most.',
  INVALID_TOKEN: 'This link has been used already, or is too old. Ask for another.',
  ACCOUNT_DISABLED: 'This account is disabled. Ask whoever runs the platform.',
};

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
  if (!response) throw new RequestError('The platform does not answer. Try again in a moment.', '', 0);
  const answer = (await response.json().catch(() => null)) as
    | (Answer & { code?: string; error?: string; message?: string })
    | null;
  if (response.ok) return answer as Answer;
  if (response.status === 429)
    throw new RequestError('Too many attempts. Wait a minute, then try again.', 'RATE_LIMITED', 429);
  const code = answer?.code ?? answer?.error ?? '';
  const message = words[code] ?? answer?.message ?? 'That did not work. Try again in a moment.';
  throw new RequestError(message, code, response.status);
}

// Every problem that a client can get: its stable code, its HTTP status and what it means.
// ProblemError ends a request with one of them.

/** A kind of problem. GET {base_url}/problems/{code} answers the explanation. */
interface ProblemKind {
  readonly status: 401 | 403 | 404 | 405 | 422 | 429 | 500 | 502;
  readonly title: string;
  readonly explanation: string;
}

export const problemCodes = {
  unauthenticated: {
    status: 401,
    title: 'Not authenticated',
    explanation:
      'The request carries no valid credential. Send an API key in X-API-Key, or an access token as ' +
      'Authorization: Bearer, and not two different ones.',
  },
  insufficient_scope: {
    status: 403,
    title: 'Scope missing',
    explanation: 'The access token or API key was not granted a scope that this needs.',
  },
  feature_disabled: {
    status: 403,
    title: 'Feature not enabled',
    explanation: 'This feature is not enabled for the account. The detail says what to do without it.',
  },
  account_on_hold: {
    status: 403,
    title: 'Account on hold',
    explanation: 'Whoever runs the platform has put the account on hold. It can be read, and things of it deleted.',
  },
  request_refused: {
    status: 403,
    title: 'Refused',
    explanation:
      'The firewall refused the request: it looks like an attack, or comes from an address that attacks come from.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    explanation: 'There is no such resource, or it is not visible to the caller.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    explanation: 'The path exists, but not with this method; the Allow header lists those it has.',
  },
  validation_failed: {
    status: 422,
    title: 'Invalid input',
    explanation: 'A field or parameter has a wrong type or value; errors lists each.',
  },
  malformed_json: {
    status: 422,
    title: 'Malformed JSON',
    explanation: 'The body is not JSON, or its Content-Type is not application/json.',
  },
  unknown_field: {
    status: 422,
    title: 'Unknown field',
    explanation: 'The body has a field that this operation does not know; errors lists each.',
  },
  invalid_cursor: {
    status: 422,
    title: 'Invalid cursor',
    explanation: 'The cursor is not one that this list gave out. Leave it out to begin at the first page.',
  },
  query_malformed: {
    status: 422,
    title: 'Malformed query',
    explanation: 'The GraphQL document is not one, or asks for what the schema does not have. The message says where.',
  },
  query_too_large: {
    status: 422,
    title: 'Query too large',
    explanation: 'The GraphQL query is too deep, or may load too many resources. Ask for less at once.',
  },
  payload_too_large: { status: 422, title: 'Too large', explanation: 'The body is larger than this operation takes.' },
  stream_not_startable: {
    status: 422,
    title: 'Stream cannot start now',
    explanation: 'The stream is stopping. Start it again once it has stopped.',
  },
  stream_not_ready: {
    status: 422,
    title: 'Stream not ready',
    explanation:
      'Something that the stream needs is missing. The readiness result in this answer says what to do about each ' +
      'issue.',
  },
  stream_not_stoppable: {
    status: 422,
    title: 'Stream is not running',
    explanation: 'Only a stream that is live can be stopped.',
  },
  stream_not_running: {
    status: 422,
    title: 'Stream is not running',
    explanation: 'Only what a running stream does can be tried again.',
  },
  stream_not_schedulable: {
    status: 422,
    title: 'Stream cannot be scheduled now',
    explanation: 'Only a stream that is draft, stopped or failed can be scheduled. Cancel a schedule to set another.',
  },
  stream_not_scheduled: {
    status: 422,
    title: 'Stream is not scheduled',
    explanation: 'The stream has no armed schedule to cancel.',
  },
  stream_live: {
    status: 422,
    title: 'Stream is live',
    explanation: 'This cannot be changed while the stream is live. Stop it first; playlists change by publishing.',
  },
  schedule_in_past: { status: 422, title: 'Schedule in the past', explanation: 'The time has passed already.' },
  output_exists: {
    status: 422,
    title: 'Output exists',
    explanation: 'The stream is sent to this destination already, or to another one with the same address and key.',
  },
  version_conflict: {
    status: 422,
    title: 'Changed meanwhile',
    explanation: 'The resource is no longer in the version that the request names. Read it again and decide anew.',
  },
  playlist_not_empty: { status: 422, title: 'Playlist not empty', explanation: 'The target of a copy must be empty.' },
  nothing_published: {
    status: 422,
    title: 'Nothing was published',
    explanation: 'There is nothing that the draft could be again.',
  },
  playlist_empty: {
    status: 422,
    title: 'Playlist empty',
    explanation: 'A playlist without items cannot be published.',
  },
  resource_in_use: {
    status: 422,
    title: 'Resource in use',
    explanation: 'Something else uses this resource. Remove it there first.',
  },
  upload_incomplete: {
    status: 422,
    title: 'Upload incomplete',
    explanation: 'The bytes are not there. PUT them to the upload URL first.',
  },
  parts_missing: {
    status: 422,
    title: 'Parts missing',
    explanation: 'Not all parts of the upload have arrived. partNumbers says which to send, at most 100 of them.',
  },
  part_mismatch: {
    status: 422,
    title: 'Part differs',
    explanation: 'All parts of an upload are sent with their SHA-256, or none is.',
  },
  upload_mismatch: {
    status: 422,
    title: 'Upload differs',
    explanation: 'The bytes that arrived are not as many as the upload announced.',
  },
  import_url_forbidden: {
    status: 422,
    title: 'Address not allowed',
    explanation: 'This address may not be imported from. Use a public http:// or https:// link.',
  },
  destination_forbidden: {
    status: 422,
    title: 'Destination not allowed',
    explanation: 'This address may not be streamed to. Use a public rtmp:// or rtmps:// address.',
  },
  not_managed: {
    status: 422,
    title: 'Not a managed stream',
    explanation: 'retryMirror is only for streams on the managed connection.',
  },
  connection_needed: {
    status: 422,
    title: 'No connection',
    explanation: 'This needs a channel that is connected on a managed platform. Use create_connection.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency-Key reused',
    explanation: 'This key came with another request within the last 24 hours. Use a new key for a new request.',
  },
  idempotency_in_progress: {
    status: 422,
    title: 'Still running',
    explanation: 'A request with this Idempotency-Key is running right now. Repeat it in a moment to get its answer.',
  },
  unknown_currency: {
    status: 422,
    title: 'Unknown currency',
    explanation: 'There is no such currency; list_crypto_currencies has those there are.',
  },
  webhook_url_forbidden: {
    status: 422,
    title: 'Address not allowed',
    explanation: 'Webhooks may not be sent to this address. Use a public https:// one.',
  },
  webhook_disabled: {
    status: 422,
    title: 'Webhook is disabled',
    explanation: 'Nothing is sent to a webhook that is disabled. Enable it first.',
  },
  preview_unavailable: { status: 422, title: 'No picture', explanation: 'There is none; the detail says why.' },
  limit_reached: {
    status: 422,
    title: 'Limit reached',
    explanation:
      'You have as much of something as you may have. limit, used and allowed say what it is, and detail what to do. ' +
      'get_me has all limits; credits raise most of them.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    explanation: 'The rate limit is used up. Retry-After says in how many seconds to come back.',
  },
  upstream_unavailable: {
    status: 502,
    title: 'Service behind unavailable',
    explanation:
      'A service that this one depends on did not answer. Try again: with an Idempotency-Key nothing is done twice.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    explanation: 'We made a mistake. It is logged; nothing was changed.',
  },
} as const satisfies Record<string, ProblemKind>;

export type ProblemCode = keyof typeof problemCodes;

/** One fault of the input. Its `path` is a JSON pointer into the body, or /path/NAME, /query/NAME or /header/NAME. */
export interface FieldError {
  readonly path: string;
  readonly code: string;
  readonly detail: string;
}

/**
 * Ends a request with a problem. Clients see `detail`. What they must not see goes into `cause`, which is only logged.
 */
export class ProblemError extends Error {
  override name = 'ProblemError';
  readonly code: ProblemCode;
  readonly detail: string;
  readonly errors: readonly FieldError[];
  /** Further members of the problem document. */
  readonly members: Readonly<Record<string, unknown>>;
  /** Further headers of the answer. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ProblemCode,
    detail: string,
    more: {
      errors?: readonly FieldError[];
      members?: Record<string, unknown>;
      headers?: Record<string, string>;
      cause?: unknown;
    } = {},
  ) {
    super(`${code}: ${detail}`, { cause: more.cause });
    this.code = code;
    this.detail = detail;
    this.errors = more.errors ?? [];
    this.members = more.members ?? {};
    this.headers = more.headers ?? {};
  }

  /** The same problem, with the paths of its faults translated from a REST request to another surface. */
  at(pathOf: (pointer: string) => string): ProblemError {
    const { members, headers, cause } = this;
    return new ProblemError(this.code, this.detail, {
      errors: this.errors.map((fault) => ({ ...fault, path: pathOf(fault.path) })),
      members,
      headers,
      cause,
    });
  }
}

// The metadata that applications may register (RFC 7591), without addresses that we would call. Decision D34.

/**
 * The fields that are passed on. backchannel_logout_uri, jwks_uri and unknown fields are dropped, because better-auth
 * would fetch these addresses from within our network; logo_uri, contacts and the like, because nothing reads them.
 */
const registered = new Set([
  'redirect_uris',
  'post_logout_redirect_uris',
  'scope',
  'client_name',
  'client_uri',
  'token_endpoint_auth_method',
  'jwks',
  'grant_types',
  'response_types',
  'application_type',
  'subject_type',
  'dpop_bound_access_tokens',
  'resources',
]);

/**
 * Drops fields that we do not register (RFC 7591, section 2), and marks an application with loopback addresses as
 * native (RFC 8252). Such applications rarely do so themselves, and better-auth would refuse their addresses.
 * @returns the reason if the metadata is refused
 */
export async function asRegistration(request: Request): Promise<Request | string> {
  const body: unknown = await request
    .clone()
    .json()
    .catch(() => null);
  if (typeof body !== 'object' || body === null) return request;
  if (isDeeper(body, maxDepth)) return 'The body is nested deeper than metadata of applications is.';
  const metadata: Record<string, unknown> = Object.fromEntries(
    Object.entries(body).filter(([name]) => registered.has(name)),
  );
  const { redirect_uris: redirectURIs } = metadata;
  if (Array.isArray(redirectURIs) && redirectURIs.every((uri) => typeof uri === 'string' && loopbackURL.test(uri)))
    metadata.application_type ??= 'native';
  const text = JSON.stringify(metadata);
  if (Buffer.byteLength(text) > maxMetadataBytes)
    return `The metadata of an application may have at most ${maxMetadataBytes} bytes.`;
  const headers = new Headers(request.headers);
  headers.delete('content-length');
  return new Request(request.url, { method: request.method, headers, body: text });
}

/** A stranger registers without an account, so the row must be small. */
const maxMetadataBytes = 4096;

/** The depth of `jwks`: an object with a list of objects with lists. */
const maxDepth = 6;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}

const loopbackURL = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:\d+)?(\/|$)/;

/** Metadata of the authorization server, without the offer to call applications when a user signs out. */
export function withoutCalls(read: (request: Request) => Promise<Response>): typeof read {
  return async (request) => {
    const metadata = (await (await read(request)).json()) as object;
    return Response.json({
      ...metadata,
      backchannel_logout_supported: false,
      backchannel_logout_session_supported: false,
    });
  };
}

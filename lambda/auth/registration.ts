// The metadata that applications may register (RFC 7591), without addresses that we would call. Decision D34.

/**
 * The fields that are passed on. backchannel_logout_uri, jwks_uri and unknown fields are dropped, because better-auth
 * would fetch these addresses from within our network.
 */
const registered = new Set([
  'redirect_uris',
  'post_logout_redirect_uris',
  'scope',
  'client_name',
  'client_uri',
  'logo_uri',
  'contacts',
  'tos_uri',
  'policy_uri',
  'software_id',
  'software_version',
  'software_statement',
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
 * @returns null if the body is nested deeper than any metadata
 */
export async function asRegistration(request: Request): Promise<Request | null> {
  const body: unknown = await request
    .clone()
    .json()
    .catch(() => null);
  if (typeof body !== 'object' || body === null) return request;
  if (isDeeper(body, maxDepth)) return null;
  const metadata: Record<string, unknown> = Object.fromEntries(
    Object.entries(body).filter(([name]) => registered.has(name)),
  );
  const { redirect_uris: redirectURIs } = metadata;
  if (Array.isArray(redirectURIs) && redirectURIs.every((uri) => typeof uri === 'string' && loopbackURL.test(uri)))
    metadata.application_type ??= 'native';
  const headers = new Headers(request.headers);
  headers.delete('content-length');
  return new Request(request.url, { method: request.method, headers, body: JSON.stringify(metadata) });
}

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

// What applications may register about themselves (RFC 7591): nothing that would have us call an address of theirs.

/**
 * All that is handed on. Left out are backchannel_logout_uri and jwks_uri, which better-auth would fetch from within
 * our network, wherever their names lead, and whatever it may learn to fetch one day.
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
 * Takes out of a registration what we do not register (RFC 7591, section 2), and adds that an application with
 * loopback addresses is a native one (RFC 8252). Such applications seldom say so, and better-auth would take them for
 * web applications and refuse these addresses.
 * @returns null where the body is nested deeper than any metadata
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

/** `jwks` is the deepest: an object with a list of objects with lists. */
const maxDepth = 6;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}

const loopbackURL = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(:\d+)?(\/|$)/;

/** Metadata of the authorization server that does not offer to call applications when somebody signs out. */
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

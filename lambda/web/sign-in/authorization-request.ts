// The authorization request of an application, signed by the authorization server.
// The server puts it into the address of the sign-in and consent pages.

/** The parameters that the server added: the signature, its expiry, its time, and the parameters it covers. */
const addedParameters = ['sig', 'exp', 'ba_iat', 'ba_param', 'ba_pl'];

/** The request in the server's format, for `oauth_query`; null if no application requested an authorization. */
export function signedQuery(): string | null {
  return new URLSearchParams(location.search).has('sig') ? location.search.slice(1) : null;
}

/** The path that begins the authorization again, with its original parameters; null if there is no request. */
export function authorizationPath(): string | null {
  if (signedQuery() === null) return null;
  const query = new URLSearchParams(location.search);
  for (const name of addedParameters) query.delete(name);
  return `/api/auth/oauth2/authorize?${query}`;
}

/** A path with the same authorization request. */
export function withRequest(path: string): string {
  return signedQuery() === null ? path : path + location.search;
}

/** The path to open after signing in: the application's authorization, or the page that required a session. */
export function afterSignIn(): string {
  const next = new URLSearchParams(location.search).get('next') ?? '/';
  // Anyone can craft an address, so it may lead only to our own pages.
  const isOurs = /^\/(?![/\\])/.test(next) && new URL(next, location.origin).origin === location.origin;
  return authorizationPath() ?? (isOurs ? next : '/');
}

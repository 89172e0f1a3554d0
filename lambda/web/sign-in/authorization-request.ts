// The authorization request of an application, which the authorization server has signed.
// The server puts it into the address of the sign-in and consent pages.

/** The parameters that the server added: the signature, when it expires, when it was made, and what it covers. */
const addedParameters = ['sig', 'exp', 'ba_iat', 'ba_param', 'ba_pl'];

/** The request as the server takes it back, as `oauth_query`; null where no application asked for an authorization. */
export function signedQuery(): string | null {
  return new URLSearchParams(location.search).has('sig') ? location.search.slice(1) : null;
}

/** The path where the authorization begins again, as the application began it; null where none was asked for. */
export function authorizationPath(): string | null {
  if (signedQuery() === null) return null;
  const query = new URLSearchParams(location.search);
  for (const name of addedParameters) query.delete(name);
  return `/api/auth/oauth2/authorize?${query}`;
}

/** The path of another page, with the same authorization request. */
export function withRequest(path: string): string {
  return signedQuery() === null ? path : path + location.search;
}

/** The path to go to after somebody has signed in: where an application, or a page of ours, sent them from. */
export function afterSignIn(): string {
  const next = new URLSearchParams(location.search).get('next') ?? '/';
  // Anybody can write an address: it may lead to our own pages alone.
  const isOurs = /^\/(?![/\\])/.test(next) && new URL(next, location.origin).origin === location.origin;
  return authorizationPath() ?? (isOurs ? next : '/');
}

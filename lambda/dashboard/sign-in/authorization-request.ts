// What an application asked for, as the authorization server signed it into the address of the sign-in and consent pages.

/** Added by the server to what the application sent: signature, its expiry, its time, and which parameters it covers. */
const addedParameters = ['sig', 'exp', 'ba_iat', 'ba_param', 'ba_pl'];

/** To be sent back as `oauth_query`; null when nobody asked for an authorization. */
export function signedQuery(): string | null {
  return new URLSearchParams(location.search).has('sig') ? location.search.slice(1) : null;
}

/** Where the authorization begins again, as the application began it; null when there is none. */
export function authorizationPath(): string | null {
  if (signedQuery() === null) return null;
  const query = new URLSearchParams(location.search);
  for (const name of addedParameters) query.delete(name);
  return `/api/auth/oauth2/authorize?${query}`;
}

/** The same authorization, on another page. */
export function withRequest(path: string): string {
  return signedQuery() === null ? path : path + location.search;
}

/** Where to go when somebody has signed in. */
export function afterSignIn(): string {
  return authorizationPath() ?? '/account';
}

// A user's browser for sign-in and consent: cookies, the pages' requests, and redirects that tests inspect.

export interface BrowserSession {
  /** Sends a request as the pages do: same origin, cookies and JSON. Cookies of the answer are kept. */
  post(
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; body: any; headers: Headers }>;
  get(path: string): Promise<{ status: number; body: any; headers: Headers }>;
  signIn(user: { email: string; password: string }): Promise<void>;
  /**
   * Opens an authorization address, signs in, and gives consent if asked.
   * @returns the final address, at the application
   */
  authorize(url: URL, answer: { user: { email: string; password: string }; accept: boolean }): Promise<URL>;
  /** Opens an address as a navigation. @returns the redirect's target */
  visit(url: URL): Promise<URL>;
  cookies(): string;
}

export function browserSession(origin: () => string): BrowserSession {
  const jar = new Map<string, string>();
  const cookies = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  const send = async (
    url: string | URL,
    init: { method?: string; body?: string; headers?: Record<string, string> },
  ) => {
    const response = await fetch(url, { redirect: 'manual', ...init, headers: { cookie: cookies(), ...init.headers } });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line)) jar.delete(name);
      else jar.set(name, value);
    }
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : text };
  };
  /** Follows an address. Node's fetch always marks requests as CORS, and would get JSON instead of a redirect. */
  const visit = async (url: URL): Promise<URL> => {
    const { headers, status, body } = await send(url, { headers: { accept: 'text/html' } });
    const location = headers.get('location') ?? body.url;
    if (!location) throw new Error(`${url.pathname} was answered ${status}: ${JSON.stringify(body)}`);
    return new URL(location, origin());
  };
  const session: BrowserSession = {
    cookies,
    visit,
    get: (path) => send(origin() + path, {}),
    post: (path, body = {}, headers = {}) =>
      send(origin() + path, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', origin: origin(), ...headers },
      }),
    async signIn(user) {
      const { status, body } = await session.post('/api/auth/sign-in/email', user);
      if (status !== 200) throw new Error(`sign-in was answered ${status}: ${JSON.stringify(body)}`);
    },
    async authorize(url, { user, accept }) {
      let at = await visit(url);
      if (at.pathname === '/sign-in' && at.origin === origin()) {
        const { body } = await session.post('/api/auth/sign-in/email', { ...user, oauth_query: at.search.slice(1) });
        at = new URL(body.url, origin());
      }
      if (at.pathname === '/consent' && at.origin === origin()) {
        const { body } = await session.post('/api/auth/oauth2/consent', { accept, oauth_query: at.search.slice(1) });
        at = new URL(body.url, origin());
      }
      return at;
    },
  };
  return session;
}

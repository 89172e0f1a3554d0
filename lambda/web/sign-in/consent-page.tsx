// Asks the user to authorize an application: shows its name, its address and the permissions it wants.
import { useState } from 'react';
import type { ReactNode } from 'react';
import { signInWords as words } from '#words/sign-in.ts';
import { Card } from '../card.tsx';
import { Form } from '../form.tsx';
import { isTooOld, post } from '../requests.ts';
import type { RequestError } from '../requests.ts';
import type { Session } from '../session.ts';
import { useLoaded } from '../use-loaded.ts';
import { AskedScopes } from './asked-scopes.tsx';
import { authorizationPath, signedQuery, withRequest } from './authorization-request.ts';

interface PublicClient {
  readonly client_name?: string;
}

export function ConsentPage(): ReactNode {
  const query = new URLSearchParams(location.search);
  const client = useLoaded<PublicClient>(
    `/oauth2/public-client?client_id=${encodeURIComponent(query.get('client_id') ?? '')}`,
  );
  const session = useLoaded<Session | null>('/get-session');
  const [refusal, setRefusal] = useState<string | null>(null);
  const oauthQuery = signedQuery();
  if (oauthQuery !== null && session.data === null) {
    location.replace(withRequest('/sign-in'));
    return null;
  }
  if (oauthQuery === null || client.error !== null) {
    return (
      <Card heading={words.incomplete}>
        <p role="alert">{(oauthQuery !== null && client.error) || words.beginAgain}</p>
      </Card>
    );
  }
  if (!client.data) return <Card heading={words.connect}>{null}</Card>;

  const answer = async (consent: { readonly accept: boolean }): Promise<void> => {
    const again = authorizationPath() ?? '/';
    const { url } = await post<{ url: string }>('/oauth2/consent', { ...consent, oauth_query: oauthQuery }).catch(
      (error: RequestError) => (isTooOld(error) ? { url: again } : Promise.reject(error)),
    );
    location.assign(url);
  };
  const refuse = (): void => void answer({ accept: false }).catch((error: Error) => setRefusal(error.message));
  const switchAccount = async (): Promise<void> => {
    await post('/sign-out');
    location.assign(authorizationPath() ?? withRequest('/sign-in'));
  };
  const name = client.data.client_name || words.nameless;
  const scopes = (query.get('scope') ?? '').split(' ').filter(Boolean);
  return (
    <Card heading={words.connectAsk(name)}>
      <p>
        <strong>{name}</strong> {words.asks.before}{' '}
        <strong className="origin">{destinationOf(query.get('redirect_uri') ?? '')}</strong>
        {words.asks.after}
      </p>
      <p className="hint">{words.anybody}</p>
      <AskedScopes scopes={scopes} />
      <Form action={words.agree} onSubmit={() => answer({ accept: true })} />
      <button type="button" onClick={refuse}>
        {words.refuse}
      </button>
      <div role="alert">{refusal !== null && <p className="error">{refusal}</p>}</div>
      {session.data && (
        <p className="hint">
          {words.you(session.data.user.email)}{' '}
          <button type="button" className="link" onClick={() => void switchAccount()}>
            {words.notYou}
          </button>
        </p>
      )}
    </Card>
  );
}

/** Describes the receiver of the authorization code: a program on this computer, another program, or a site. */
function destinationOf(redirectURI: string): string {
  const url = URL.parse(redirectURI);
  if (!url) return redirectURI;
  if (['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname)) return words.thisComputer;
  return url.protocol === 'https:' ? url.host : words.program(url.protocol);
}
